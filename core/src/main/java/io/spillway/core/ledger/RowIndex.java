package io.spillway.core.ledger;

import java.util.Arrays;

/**
 * The rows of a table by the hash of a name, for whoever keeps the names in the table and compares them.
 *
 * <p>Open addressing with linear probing, at most half full (Knuth, The Art of Computer Programming 3, 6.4; a place is freed by
 * its algorithm R, so that none is lost to removals). A place is a long: the upper half of the hash, and under it the row and 1;
 * 0 is free. So a look-up waits for memory once, and seldom comes upon a row that is another's.
 *
 * <p>Owner: that of the table. Bound: that of the table, 16 to 32 bytes a row.
 */
public final class RowIndex {
    /** In place of a place. */
    public static final int NONE = -1;

    private static final int FIRST_PLACES = 64;
    /** Less than one in so many in use is too much room. */
    private static final int SPARSE = 8;

    private long[] entries = new long[FIRST_PLACES];
    private int size;

    /** A place whose row may be the one with this hash, or {@link #NONE}. Places are good until the next change. */
    public int first(long hash) {
        return find(home(hash), hash);
    }

    /** The next such place after one. */
    public int next(int place, long hash) {
        return find(place + 1, hash);
    }

    /** The row at a place. */
    public int row(int place) {
        return (int) entries[place] - 1;
    }

    /**
     * Adds a row.
     *
     * @param row 0 or more, not there yet
     */
    public void add(long hash, int row) {
        if (2 * ++size > entries.length) {
            long[] old = entries;
            entries = new long[2 * old.length];
            for (long entry : old) {
                if (entry != 0) {
                    insert(entry);
                }
            }
        }
        insert(hash >>> Integer.SIZE << Integer.SIZE | row + 1);
    }

    /**
     * Removes a row.
     *
     * @param hash that it was added with
     * @throws IllegalArgumentException when it is not there
     */
    public void remove(long hash, int row) {
        int place = first(hash);
        while (place != NONE && row(place) != row) {
            place = next(place, hash);
        }
        if (place == NONE) {
            throw new IllegalArgumentException("row " + row + " is not there");
        }
        vacate(place);
        size--;
    }

    /** Removes all rows. What it costs goes by how many there were, if there are mostly about as many. */
    public void clear() {
        if (SPARSE * size < entries.length && entries.length > FIRST_PLACES) {
            entries = new long[entries.length / 2];
        } else {
            Arrays.fill(entries, 0);
        }
        size = 0;
    }

    private int find(int start, long hash) {
        int mask = entries.length - 1;
        for (int place = start & mask; entries[place] != 0; place = place + 1 & mask) {
            if ((entries[place] ^ hash) >>> Integer.SIZE == 0) {
                return place;
            }
        }
        return NONE;
    }

    private void insert(long entry) {
        int mask = entries.length - 1;
        int place = home(entry);
        while (entries[place] != 0) {
            place = place + 1 & mask;
        }
        entries[place] = entry;
    }

    /** Frees a place, and moves up what is found only by passing over it. */
    private void vacate(int place) {
        int mask = entries.length - 1;
        int hole = place;
        for (int next = hole + 1 & mask; entries[next] != 0; next = next + 1 & mask) {
            int wayFromHome = next - home(entries[next]) & mask;
            int wayFromHole = next - hole & mask;
            if (wayFromHome >= wayFromHole) {
                entries[hole] = entries[next];
                hole = next;
            }
        }
        entries[hole] = 0;
    }

    private int home(long hash) {
        return (int) (hash >>> Integer.SIZE) & entries.length - 1;
    }
}
