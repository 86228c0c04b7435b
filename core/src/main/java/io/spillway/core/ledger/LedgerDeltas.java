package io.spillway.core.ledger;

import io.spillway.core.hashing.TenantHash;
import io.spillway.core.item.ItemState;
import io.spillway.core.text.Printable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Counts of each tenant's items that left one state since the last commit, by their new state.
 *
 * <p>Adding is a hash of the name, an index look-up and an addition, and allocates only when the table grows. The hash
 * is {@link TenantHash} with a seed, since names come from outside. Names and counts are stored in the order of their
 * first use, so that a writer reads memory sequentially and needs no String.
 *
 * <p>Owner: the one that moves the items, one thread or under one lock. Bound: the tenants between two commits; at
 * {@link #MANY} {@link #isFull} requests an early commit.
 */
public final class LedgerDeltas {
    /** Tenants at which a commit is due: about 100 bytes each, and up to twice as much after growing. */
    public static final int MANY = 50_000;

    private static final int MAX_ASCII = 0x7f;
    private static final int FIRST_ROWS = 32;
    private static final int FIRST_NAME_BYTES = 16 * FIRST_ROWS;

    private final ItemState from;
    private final long seed;
    private final RowIndex index = new RowIndex();
    private byte[] names = new byte[FIRST_NAME_BYTES];
    /** Start of each name, which is the end of the one before; the last one is the start of the next name. */
    private int[] starts = new int[FIRST_ROWS + 1];
    private long[] hashes = new long[FIRST_ROWS];
    private long[] counts = new long[FIRST_ROWS * ItemState.COUNT];
    private int size;

    /** Receives the counts of a tenant. */
    @FunctionalInterface
    public interface Visitor {
        /** Receives one tenant; its counts by new state start at the offset. The array is read-only. */
        void visit(String tenant, ItemState from, long[] counts, int offset);
    }

    /** Receives the counts of a tenant without creating a String for its name. */
    @FunctionalInterface
    public interface LineVisitor {
        /**
         * Receives one tenant, with an ASCII name; its counts by new state start at {@code countsStart}. Both arrays
         * are read-only, and valid until this returns.
         */
        void visit(byte[] names, int offset, int length, ItemState from, long[] counts, int countsStart);

        /** Adapts a visitor that takes a String. */
        static LineVisitor of(Visitor visitor) {
            return (names, offset, length, from, counts, countsStart) ->
                    visitor.visit(
                            new String(names, offset, length, StandardCharsets.US_ASCII), from, counts, countsStart);
        }
    }

    /**
     * Creates an empty table.
     *
     * @param from the state that all items leave, one of {@link ItemState#LEFT}
     * @param seed of {@link TenantHash}
     */
    public LedgerDeltas(ItemState from, long seed) {
        if (!ItemState.LEFT.contains(from)) {
            throw new IllegalArgumentException("items do not leave " + from + ": use one of " + ItemState.LEFT);
        }
        this.from = from;
        this.seed = seed;
    }

    /** Returns the state that all items leave. */
    public ItemState from() {
        return from;
    }

    /**
     * Adds one item, whose new state is not {@link ItemState#OUTSIDE}.
     *
     * @throws IllegalArgumentException for a name that is not ASCII
     */
    public void add(String tenant, ItemState to) {
        add(tenant, TenantHash.key(tenant, seed), to);
    }

    /** Adds one item as {@link #add(String, ItemState)} does; the hash is {@link TenantHash#key} with this seed. */
    public void add(String tenant, long hash, ItemState to) {
        // Two steps, since rowOf may replace the array.
        int row = rowOf(tenant, hash);
        counts[row * ItemState.COUNT + to.ordinal()]++;
    }

    /** Takes back one item that was added with another new state. */
    public void remove(String tenant, ItemState to) {
        int row = rowOf(tenant, TenantHash.key(tenant, seed));
        counts[row * ItemState.COUNT + to.ordinal()]--;
    }

    /** Adds all counts of a table with the same state and seed. */
    public void addAll(LedgerDeltas more) {
        if (more.from != from || more.seed != seed) {
            throw new IllegalArgumentException(
                    "cannot add counts of " + more.from + " to those of " + from + ": state and seed must be equal");
        }
        for (int theirs = 0; theirs < more.size; theirs++) {
            int ours = rowOf(more, theirs) * ItemState.COUNT;
            for (int state = 0; state < ItemState.COUNT; state++) {
                counts[ours + state] += more.counts[theirs * ItemState.COUNT + state];
            }
        }
    }

    /** Passes the counts of every tenant to the visitor, in the order of their first use. */
    public void forEach(LineVisitor visitor) {
        for (int row = 0; row < size; row++) {
            visitor.visit(names, starts[row], starts[row + 1] - starts[row], from, counts, row * ItemState.COUNT);
        }
    }

    /** Removes everything; takes time in proportion to its contents and not to its capacity. */
    public void clear() {
        Arrays.fill(counts, 0, size * ItemState.COUNT, 0);
        index.clear();
        size = 0;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** Returns the number of tenants. */
    public int size() {
        return size;
    }

    /** Returns whether there are so many tenants that the counts should be committed now. */
    public boolean isFull() {
        return size >= MANY;
    }

    private int rowOf(String tenant, long hash) {
        int length = tenant.length();
        int nameStart = makeRoom(length);
        int bits = 0;
        for (int i = 0; i < length; i++) {
            char next = tenant.charAt(i);
            bits |= next;
            names[nameStart + i] = (byte) next;
        }
        if (bits > MAX_ASCII) {
            throw new IllegalArgumentException("a tenant whose name is not ASCII: " + Printable.of(tenant));
        }
        return rowOfNext(length, hash);
    }

    private int rowOf(LedgerDeltas more, int theirs) {
        int start = more.starts[theirs];
        int length = more.starts[theirs + 1] - start;
        int nameStart = makeRoom(length);
        System.arraycopy(more.names, start, names, nameStart, length);
        return rowOfNext(length, more.hashes[theirs]);
    }

    /** Returns the row of the name that was written after the last one: an existing row, or a new one. */
    private int rowOfNext(int length, long hash) {
        int nameStart = starts[size];
        for (int slot = index.first(hash); slot != RowIndex.NONE; slot = index.next(slot, hash)) {
            int row = index.row(slot);
            if (Arrays.equals(names, starts[row], starts[row + 1], names, nameStart, nameStart + length)) {
                return row;
            }
        }
        hashes[size] = hash;
        starts[size + 1] = nameStart + length;
        index.add(hash, size);
        return size++;
    }

    /** Makes room for one more row, and returns the start of its name. */
    private int makeRoom(int length) {
        if (size == hashes.length) {
            int rows = 2 * size;
            starts = Arrays.copyOf(starts, rows + 1);
            hashes = Arrays.copyOf(hashes, rows);
            counts = Arrays.copyOf(counts, rows * ItemState.COUNT);
        }
        int start = starts[size];
        if (names.length - start < length) {
            names = Arrays.copyOf(names, Math.max(2 * names.length, start + length));
        }
        return start;
    }
}
