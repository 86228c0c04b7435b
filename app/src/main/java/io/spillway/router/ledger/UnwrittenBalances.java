package io.spillway.router.ledger;

import io.spillway.core.hashing.TenantHash;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.RowIndex;
import io.spillway.core.ledger.TenantBalance;
import java.util.Arrays;

/**
 * Table of tenants whose balance has changed since it was written, with the changes, in order of insertion.
 *
 * <p>A tenant has one row until it is removed. A lookup misses the CPU cache at most four times: in the {@link
 * RowIndex}, the reference to the row's name, the name, and the counts; a map of objects would miss twice as often. The
 * hash has a seed, which must not be known to anyone who can choose tenant names.
 *
 * <p>Owner: a {@link FoldProcessor}. Bound: that of its owner; about 200 bytes per tenant, up to twice that after
 * growing, plus the written balance. Memory for more than {@link #KEPT_ROWS} is released when the table is empty.
 */
final class UnwrittenBalances {
    /** Result when there is no row. */
    static final int NONE = -1;
    static final int KEPT_ROWS = 8_192;

    private static final int FIRST_ROWS = 64;
    /** Counts per row: items that entered each state, then items that left each state. */
    private static final int WIDTH = 2 * ItemState.COUNT;
    private static final int[] WAITING = ItemState.WAITING.stream().mapToInt(ItemState::ordinal).toArray();

    private final long seed;
    private RowIndex index;
    private byte[][] tenants = {};
    private Depth[] written = {};
    private long[] counts = {};
    private long[] firstOffsets = {};
    private long[] sinceMillis = {};
    private boolean[] urgent = {};
    private int[] before = {};
    /** For a free row: the next free row. */
    private int[] after = {};
    private int oldest;
    private int newest;
    private int free;
    /** Rows from here on were never used. */
    private int untouched;
    private int size;

    UnwrittenBalances(long seed) {
        this.seed = seed;
        clear();
    }

    /** Removes all tenants. */
    void clear() {
        index = new RowIndex();
        // Through zero, so that nothing of the old contents is kept.
        resize(0);
        resize(FIRST_ROWS);
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

    /** Returns the row of a tenant, or {@link #NONE}. */
    int find(byte[] bytes, int offset, int length) {
        long hash = TenantHash.of(bytes, offset, length, seed);
        for (int slot = index.first(hash); slot != RowIndex.NONE; slot = index.next(slot, hash)) {
            int row = index.row(slot);
            byte[] tenant = tenants[row];
            if (Arrays.equals(tenant, 0, tenant.length, bytes, offset, offset + length)) {
                return row;
            }
        }
        return NONE;
    }

    /**
     * Adds an absent tenant as the newest.
     *
     * @param tenant      name; kept and must not change
     * @param depth       the balance as written
     * @param firstOffset first ledger entry that the written balance lacks
     * @param nowMillis   time of the first change
     * @return the tenant's row
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
     * @param more counts by the ordinal of the state that the items entered
     * @param at   index of the first count
     */
    void count(int row, ItemState from, long[] more, int at) {
        int entered = row * WIDTH;
        long left = 0;
        for (int state = 0; state < ItemState.COUNT; state++) {
            // Nearly all are 0; skipping them saves a memory access.
            if (more[at + state] != 0) {
                counts[entered + state] += more[at + state];
                left += more[at + state];
            }
        }
        counts[entered + ItemState.COUNT + from.ordinal()] += left;
    }

    /** Returns the change in waiting items since the balance was written. */
    long waitingChange(int row) {
        long change = 0;
        for (int state : WAITING) {
            change += counts[row * WIDTH + state] - counts[row * WIDTH + ItemState.COUNT + state];
        }
        return change;
    }

    /** Returns the balance with all changes. */
    TenantBalance balance(int row) {
        int entered = row * WIDTH;
        int left = entered + ItemState.COUNT;
        return written[row].balance().plus(
                Arrays.copyOfRange(counts, entered, left), Arrays.copyOfRange(counts, left, left + ItemState.COUNT));
    }

    /** Returns the balance as written. */
    Depth written(int row) {
        return written[row];
    }

    /** Returns the name; it must not be changed. */
    byte[] tenant(int row) {
        return tenants[row];
    }

    boolean isUrgent(int row) {
        return urgent[row];
    }

    void markUrgent(int row) {
        urgent[row] = true;
    }

    /** Returns the row that was added first, or {@link #NONE}. */
    int oldest() {
        return oldest;
    }

    long firstOffset(int row) {
        return firstOffsets[row];
    }

    long sinceMillis(int row) {
        return sinceMillis[row];
    }

    /** Removes a tenant. Its row may be used for another afterwards. */
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
            resize(2 * untouched);
        }
        return untouched++;
    }

    private void resize(int rows) {
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
