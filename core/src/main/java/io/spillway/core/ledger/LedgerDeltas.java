package io.spillway.core.ledger;

import io.spillway.core.item.ItemState;
import io.spillway.core.item.Printable;
import io.spillway.core.item.TenantHash;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * How many items of each tenant left one place since the last commit, by where they went.
 *
 * <p>A booking is a hash of the name, a look into an index, and an addition; nothing is allocated but when the table grows.
 * The hash is {@link TenantHash} under a seed, since names come from outside. Names and counts lie in the order in which
 * they were first booked, so that whoever writes them down walks straight through memory, and does not come back to Strings
 * that the cache has forgotten.
 *
 * <p>Owner: whoever makes the moves, one thread or under one lock. Bound: it grows with the tenants between two commits; at
 * {@link #MANY} {@link #isFull} asks its owner for an early commit.
 */
public final class LedgerDeltas {
    /** Tenants at which a commit is due, whatever the time: about 100 bytes each, and up to as much again after growing. */
    public static final int MANY = 50_000;

    private static final int MAX_ASCII = 0x7f;
    private static final int FIRST_ROWS = 32;
    private static final int FIRST_NAME_BYTES = 16 * FIRST_ROWS;

    private final ItemState from;
    private final long seed;
    private final RowIndex index = new RowIndex();
    private byte[] names = new byte[FIRST_NAME_BYTES];
    /** Where the names begin, each where the one before ends, and where the next one will. */
    private int[] starts = new int[FIRST_ROWS + 1];
    private long[] hashes = new long[FIRST_ROWS];
    private long[] counts = new long[FIRST_ROWS * ItemState.COUNT];
    private int size;

    /** Receives the sums of a tenant. */
    @FunctionalInterface
    public interface Visitor {
        /**
         * Takes one.
         *
         * @param tenant not null
         * @param from   the place that the items left
         * @param counts where the counts are, by the ordinal of the {@link ItemState} they went to; only to be read
         * @param offset of the first of them
         */
        void visit(String tenant, ItemState from, long[] counts, int offset);
    }

    /** Receives the sums of a tenant without a String being made of its name. */
    @FunctionalInterface
    public interface LineVisitor {
        /**
         * Takes one.
         *
         * @param names  where the tenant's name is, ASCII; only to be read
         * @param offset of its first character
         * @param length of the name
         * @param from   the place that the items left
         * @param counts where the counts are, by the ordinal of the {@link ItemState} they went to; only to be read, until this returns
         * @param at     of the first of them
         */
        void visit(byte[] names, int offset, int length, ItemState from, long[] counts, int at);

        /** One for whoever wants a String after all. */
        static LineVisitor of(Visitor visitor) {
            return (names, offset, length, from, counts, at) ->
                    visitor.visit(new String(names, offset, length, StandardCharsets.US_ASCII), from, counts, at);
        }
    }

    /**
     * Starts empty.
     *
     * @param from the place that all items leave, one of {@link ItemState#LEFT}
     * @param seed of the hash; nobody who can name a tenant should know it
     */
    public LedgerDeltas(ItemState from, long seed) {
        if (!ItemState.LEFT.contains(from)) {
            throw new IllegalArgumentException("nothing leaves " + from);
        }
        this.from = from;
        this.seed = seed;
    }

    /** The place that all items leave. */
    public ItemState from() {
        return from;
    }

    /**
     * Books one item.
     *
     * @param tenant ASCII, not null
     * @param to     where it went; not {@link ItemState#OUTSIDE}
     * @throws IllegalArgumentException for a name that is not ASCII
     */
    public void add(String tenant, ItemState to) {
        // In two steps: finding the row may replace the array.
        int row = rowOf(tenant);
        counts[row * ItemState.COUNT + to.ordinal()]++;
    }

    /** Adds all of another that has the same place and seed. */
    public void addAll(LedgerDeltas more) {
        if (more.from != from || more.seed != seed) {
            throw new IllegalArgumentException("sums of " + more.from + " cannot be added to those of " + from);
        }
        for (int theirs = 0; theirs < more.size; theirs++) {
            int ours = rowOf(more, theirs) * ItemState.COUNT;
            for (int place = 0; place < ItemState.COUNT; place++) {
                counts[ours + place] += more.counts[theirs * ItemState.COUNT + place];
            }
        }
    }

    /** Shows the sums of every tenant, in the order in which they were first booked. */
    public void forEach(LineVisitor visitor) {
        for (int row = 0; row < size; row++) {
            visitor.visit(names, starts[row], starts[row + 1] - starts[row], from, counts, row * ItemState.COUNT);
        }
    }

    /** Forgets everything; costs what was booked, not what there is room for. */
    public void clear() {
        Arrays.fill(counts, 0, size * ItemState.COUNT, 0);
        index.clear();
        size = 0;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** Tenants with a sum. */
    public int size() {
        return size;
    }

    /** Whether there are so many tenants that the sums should be committed now. */
    public boolean isFull() {
        return size >= MANY;
    }

    private int rowOf(String tenant) {
        int length = tenant.length();
        int at = makeRoom(length);
        int bits = 0;
        for (int i = 0; i < length; i++) {
            char next = tenant.charAt(i);
            bits |= next;
            names[at + i] = (byte) next;
        }
        if (bits > MAX_ASCII) {
            throw new IllegalArgumentException("a tenant whose name is not ASCII: " + Printable.of(tenant));
        }
        return rowOfNext(length, TenantHash.of(names, at, length, seed));
    }

    private int rowOf(LedgerDeltas more, int theirs) {
        int start = more.starts[theirs];
        int length = more.starts[theirs + 1] - start;
        int at = makeRoom(length);
        System.arraycopy(more.names, start, names, at, length);
        return rowOfNext(length, more.hashes[theirs]);
    }

    /** The row of the name that was put where there is room: one that has it, or the next. */
    private int rowOfNext(int length, long hash) {
        int at = starts[size];
        for (int place = index.first(hash); place != RowIndex.NONE; place = index.next(place, hash)) {
            int row = index.row(place);
            if (Arrays.equals(names, starts[row], starts[row + 1], names, at, at + length)) {
                return row;
            }
        }
        hashes[size] = hash;
        starts[size + 1] = at + length;
        index.add(hash, size);
        return size++;
    }

    /** Makes room for a row more, and says where its name is to be put. */
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
