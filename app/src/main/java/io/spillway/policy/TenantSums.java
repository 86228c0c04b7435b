package io.spillway.policy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * How many items of each tenant left one place since the last commit, by where they went.
 *
 * <p>A booking is a hash of the name, a look into a table, and an addition; nothing is allocated but when the table grows.
 * The hash is {@link TenantHash} under a seed, since names come from outside, and the table is open addressing with linear
 * probing (Knuth, The Art of Computer Programming 3, 6.4), at most half full.
 *
 * <p>Owner: whoever makes the moves, one thread or under one lock. Bound: it grows with the tenants between two commits; at
 * {@link #MANY} {@link #isFull} asks its owner for an early commit.
 */
public final class TenantSums {
    /** Tenants at which a commit is due, whatever the time: 64 bytes each and as much again for free places. */
    public static final int MANY = 50_000;

    private static final int FIRST_CAPACITY = 64;

    private final Place from;
    private final long seed;
    private String[] tenants = new String[FIRST_CAPACITY];
    private long[] hashes = new long[FIRST_CAPACITY];
    private long[] counts = new long[FIRST_CAPACITY * Place.COUNT];
    private int[] used = new int[FIRST_CAPACITY / 2];
    private int size;

    /** Receives the sums of a tenant. */
    @FunctionalInterface
    public interface Visitor {
        /**
         * Takes one.
         *
         * @param tenant not null
         * @param from   the place that the items left
         * @param counts where the counts are, by the ordinal of the {@link Place} they went to; only to be read
         * @param offset of the first of them
         */
        void visit(String tenant, Place from, long[] counts, int offset);
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
         * @param counts where the counts are, by the ordinal of the {@link Place} they went to; only to be read, until this returns
         * @param at     of the first of them
         */
        void visit(byte[] names, int offset, int length, Place from, long[] counts, int at);

        /** One for whoever wants a String after all. */
        static LineVisitor of(Visitor visitor) {
            return (names, offset, length, from, counts, at) ->
                    visitor.visit(new String(names, offset, length, StandardCharsets.US_ASCII), from, counts, at);
        }
    }

    /**
     * Starts empty.
     *
     * @param from the place that all items leave, one of {@link Place#LEFT}
     * @param seed of the hash; nobody who can name a tenant should know it
     */
    public TenantSums(Place from, long seed) {
        if (!Place.LEFT.contains(from)) {
            throw new IllegalArgumentException("nothing leaves " + from);
        }
        this.from = from;
        this.seed = seed;
    }

    /** The place that all items leave. */
    public Place from() {
        return from;
    }

    /**
     * Books one item.
     *
     * @param tenant not null
     * @param to     where it went; not {@link Place#OUTSIDE}
     */
    public void add(String tenant, Place to) {
        // In two steps: finding the slot may replace the array.
        int slot = slotOf(tenant);
        counts[slot * Place.COUNT + to.ordinal()]++;
    }

    /** Adds all of another that has the same place and seed. */
    public void addAll(TenantSums more) {
        if (more.from != from || more.seed != seed) {
            throw new IllegalArgumentException("sums of " + more.from + " cannot be added to those of " + from);
        }
        for (int i = 0; i < more.size; i++) {
            int theirs = more.used[i];
            int ours = slotOf(more.tenants[theirs], more.hashes[theirs]) * Place.COUNT;
            for (int place = 0; place < Place.COUNT; place++) {
                counts[ours + place] += more.counts[theirs * Place.COUNT + place];
            }
        }
    }

    /** Shows the sums of every tenant, in the order in which they were first booked. */
    public void forEach(Visitor visitor) {
        for (int i = 0; i < size; i++) {
            visitor.visit(tenants[used[i]], from, counts, used[i] * Place.COUNT);
        }
    }

    /** Forgets everything; costs what was booked, not what there is room for. */
    public void clear() {
        for (int i = 0; i < size; i++) {
            int slot = used[i];
            tenants[slot] = null;
            Arrays.fill(counts, slot * Place.COUNT, (slot + 1) * Place.COUNT, 0);
        }
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

    private int slotOf(String tenant) {
        return slotOf(tenant, TenantHash.of(tenant, seed));
    }

    private int slotOf(String tenant, long hash) {
        int slot = find(tenant, hash);
        if (tenants[slot] != null) {
            return slot;
        }
        if (size == used.length) {
            grow();
            slot = find(tenant, hash);
        }
        take(slot, tenant, hash);
        return slot;
    }

    private int find(String tenant, long hash) {
        int mask = tenants.length - 1;
        int slot = (int) hash & mask;
        while (tenants[slot] != null && (hashes[slot] != hash || !tenants[slot].equals(tenant))) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private void take(int slot, String tenant, long hash) {
        tenants[slot] = tenant;
        hashes[slot] = hash;
        used[size++] = slot;
    }

    private void grow() {
        String[] oldTenants = tenants;
        long[] oldHashes = hashes;
        long[] oldCounts = counts;
        int[] oldUsed = used;
        int oldSize = size;
        tenants = new String[2 * oldTenants.length];
        hashes = new long[tenants.length];
        counts = new long[tenants.length * Place.COUNT];
        used = new int[tenants.length / 2];
        size = 0;
        for (int i = 0; i < oldSize; i++) {
            int old = oldUsed[i];
            int slot = find(oldTenants[old], oldHashes[old]);
            take(slot, oldTenants[old], oldHashes[old]);
            System.arraycopy(oldCounts, old * Place.COUNT, counts, slot * Place.COUNT, Place.COUNT);
        }
    }
}
