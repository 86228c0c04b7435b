package io.spillway.router.ledger;

import io.spillway.core.item.ItemState;
import io.spillway.core.item.TenantHash;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.RowIndex;
import io.spillway.core.ledger.TenantBalance;
import java.util.Arrays;

/**
 * The tenants whose books have moved since they were written, and by how much, in the order in which they came in.
 *
 * <p>A tenant is a row, which it keeps until it is removed; then another may have it. A look-up by name waits for memory four
 * times: for the {@link RowIndex}, the reference to the row's name, the name, and the counts. A map of objects has twice as many
 * to follow. The hash is seeded, since names come from outside.
 *
 * <p>Owned by a {@link FoldProcessor}. Bound: that of its owner; some 200 bytes a tenant, up to as much again after growing, and
 * the books as they are written. The room for more than {@link #KEPT_ROWS} is given back when nothing is left.
 */
final class UnwrittenBalances {
    /** In place of a row. */
    static final int NONE = -1;
    static final int KEPT_ROWS = 8_192;

    private static final int FIRST_ROWS = 64;
    /** Counts of a row: what entered each place, and what left each. */
    private static final int WIDTH = 2 * ItemState.COUNT;
    private static final int[] WAITING = ItemState.WAITING.stream().mapToInt(ItemState::ordinal).toArray();

    private final long seed;
    private RowIndex index;
    private byte[][] tenants;
    private Depth[] written;
    private long[] counts;
    private long[] firstOffsets;
    private long[] sinceMillis;
    private boolean[] urgent;
    private int[] before;
    /** Of a row that is free, the next that is. */
    private int[] after;
    private int oldest;
    private int newest;
    private int free;
    /** Rows from here on were never taken. */
    private int untouched;
    private int size;

    /**
     * Starts empty.
     *
     * @param seed of the hash; nobody who can name a tenant should know it
     */
    UnwrittenBalances(long seed) {
        this.seed = seed;
        clear();
    }

    /** Forgets everything. */
    void clear() {
        index = new RowIndex();
        tenants = new byte[FIRST_ROWS][];
        written = new Depth[FIRST_ROWS];
        counts = new long[FIRST_ROWS * WIDTH];
        firstOffsets = new long[FIRST_ROWS];
        sinceMillis = new long[FIRST_ROWS];
        urgent = new boolean[FIRST_ROWS];
        before = new int[FIRST_ROWS];
        after = new int[FIRST_ROWS];
        oldest = NONE;
        newest = NONE;
        free = NONE;
        untouched = 0;
        size = 0;
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** The row of a tenant, or {@link #NONE}. */
    int find(byte[] bytes, int offset, int length) {
        long hash = TenantHash.of(bytes, offset, length, seed);
        for (int place = index.first(hash); place != RowIndex.NONE; place = index.next(place, hash)) {
            int row = index.row(place);
            byte[] tenant = tenants[row];
            if (Arrays.equals(tenant, 0, tenant.length, bytes, offset, offset + length)) {
                return row;
            }
        }
        return NONE;
    }

    /**
     * Takes in a tenant that is not there, as the newest.
     *
     * @param tenant      its name; kept, and not to be changed
     * @param depth       its books as they are written
     * @param firstOffset of the first entry of the ledger that is not in them
     * @param nowMillis   since when they are not
     * @return its row
     */
    int add(byte[] tenant, Depth depth, long firstOffset, long nowMillis) {
        int row = takeRow();
        index.add(hash(tenant), row);
        tenants[row] = tenant;
        written[row] = depth;
        firstOffsets[row] = firstOffset;
        sinceMillis[row] = nowMillis;
        urgent[row] = false;
        Arrays.fill(counts, row * WIDTH, (row + 1) * WIDTH, 0);
        before[row] = newest;
        after[row] = NONE;
        if (newest == NONE) {
            oldest = row;
        } else {
            after[newest] = row;
        }
        newest = row;
        size++;
        return row;
    }

    /**
     * Adds a line of the ledger.
     *
     * @param more by the ordinal of the place that the items went to
     * @param at   of the first of them
     */
    void count(int row, ItemState from, long[] more, int at) {
        int entered = row * WIDTH;
        long left = 0;
        for (int place = 0; place < ItemState.COUNT; place++) {
            // Nearly all are 0, and need not be fetched then.
            if (more[at + place] != 0) {
                counts[entered + place] += more[at + place];
                left += more[at + place];
            }
        }
        counts[entered + ItemState.COUNT + from.ordinal()] += left;
    }

    /** How many more items wait than is written; less than 0 when there are fewer. */
    long moreWaiting(int row) {
        long change = 0;
        for (int place : WAITING) {
            change += counts[row * WIDTH + place] - counts[row * WIDTH + ItemState.COUNT + place];
        }
        return change;
    }

    /** The books with all that was added. */
    TenantBalance books(int row) {
        int entered = row * WIDTH;
        int left = entered + ItemState.COUNT;
        return written[row].books().plus(
                Arrays.copyOfRange(counts, entered, left), Arrays.copyOfRange(counts, left, left + ItemState.COUNT));
    }

    /** The books as they are written. */
    Depth written(int row) {
        return written[row];
    }

    /** Its name; not to be changed. */
    byte[] tenant(int row) {
        return tenants[row];
    }

    boolean isUrgent(int row) {
        return urgent[row];
    }

    void markUrgent(int row) {
        urgent[row] = true;
    }

    /** The row that was added before all others, or {@link #NONE}. */
    int oldest() {
        return oldest;
    }

    long firstOffset(int row) {
        return firstOffsets[row];
    }

    long sinceMillis(int row) {
        return sinceMillis[row];
    }

    /** Removes a tenant; its row is no longer one. */
    void remove(int row) {
        index.remove(hash(tenants[row]), row);
        if (before[row] == NONE) {
            oldest = after[row];
        } else {
            after[before[row]] = after[row];
        }
        if (after[row] == NONE) {
            newest = before[row];
        } else {
            before[after[row]] = before[row];
        }
        tenants[row] = null;
        written[row] = null;
        after[row] = free;
        free = row;
        if (--size == 0 && tenants.length > KEPT_ROWS) {
            clear();
        }
    }

    private int takeRow() {
        if (free != NONE) {
            int row = free;
            free = after[row];
            return row;
        }
        if (untouched == tenants.length) {
            grow(2 * untouched);
        }
        return untouched++;
    }

    private void grow(int rows) {
        tenants = Arrays.copyOf(tenants, rows);
        written = Arrays.copyOf(written, rows);
        counts = Arrays.copyOf(counts, rows * WIDTH);
        firstOffsets = Arrays.copyOf(firstOffsets, rows);
        sinceMillis = Arrays.copyOf(sinceMillis, rows);
        urgent = Arrays.copyOf(urgent, rows);
        before = Arrays.copyOf(before, rows);
        after = Arrays.copyOf(after, rows);
    }

    private long hash(byte[] tenant) {
        return TenantHash.of(tenant, 0, tenant.length, seed);
    }
}
