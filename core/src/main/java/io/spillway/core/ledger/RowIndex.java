package io.spillway.core.ledger;

import java.util.Arrays;

/**
 * Index of the rows of a table by the hash of a name; the caller stores the names and compares them.
 *
 * <p>Open addressing with linear probing, at most half full (Knuth, The Art of Computer Programming 3, 6.4; removal by
 * its algorithm R, which leaves no dead slots). A slot is a long: the upper half of the hash, and below it the row plus
 * 1; 0 is free. A look-up therefore reads memory once and rarely finds another row.
 *
 * <p>Owner and bound: those of the table; 16 to 32 bytes per row.
 */
public final class RowIndex {
    /** Returned when there is no slot. */
    public static final int NONE = -1;

    private static final int FIRST_SLOTS = 64;
    /** Below one used slot in this many, {@link #clear} halves the array. */
    private static final int SPARSE = 8;

    private long[] entries = new long[FIRST_SLOTS];
    private int size;

    /** Returns a slot whose row may have this hash, or {@link #NONE}. Slots are valid until the next change. */
    public int first(long hash) {
        return find(home(hash), hash);
    }

    /** Returns the next such slot, or {@link #NONE}. */
    public int next(int slot, long hash) {
        return find(slot + 1, hash);
    }

    /** Returns the row in a slot. */
    public int row(int slot) {
        return (int) entries[slot] - 1;
    }

    /** Adds a row: 0 or more, not in the index. */
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
     * Removes a row with the hash with which it was added; throws {@link IllegalArgumentException} when it is not in
     * the index.
     */
    public void remove(long hash, int row) {
        int slot = first(hash);
        while (slot != NONE && row(slot) != row) {
            slot = next(slot, hash);
        }
        if (slot == NONE) {
            throw new IllegalArgumentException("row " + row + " is not in the index");
        }
        free(slot);
        size--;
    }

    /** Removes all rows. The cost follows the usual number of rows. */
    public void clear() {
        if (SPARSE * size < entries.length && entries.length > FIRST_SLOTS) {
            entries = new long[entries.length / 2];
        } else {
            Arrays.fill(entries, 0);
        }
        size = 0;
    }

    private int find(int start, long hash) {
        int mask = entries.length - 1;
        for (int slot = start & mask; entries[slot] != 0; slot = slot + 1 & mask) {
            if ((entries[slot] ^ hash) >>> Integer.SIZE == 0) {
                return slot;
            }
        }
        return NONE;
    }

    private void insert(long entry) {
        int mask = entries.length - 1;
        int slot = home(entry);
        while (entries[slot] != 0) {
            slot = slot + 1 & mask;
        }
        entries[slot] = entry;
    }

    /** Frees a slot, and moves up entries that are found only by probing past it. */
    private void free(int slot) {
        int mask = entries.length - 1;
        int hole = slot;
        for (int next = hole + 1 & mask; entries[next] != 0; next = next + 1 & mask) {
            int fromHome = next - home(entries[next]) & mask;
            int fromHole = next - hole & mask;
            if (fromHome >= fromHole) {
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
