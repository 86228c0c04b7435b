package io.spillway.core.sharding;

import io.spillway.core.hashing.TenantHash;
import java.util.Arrays;

/**
 * Search for a shard that shares at most m slots with every shard in the index: random draws first, then all shards in
 * order.
 *
 * <p>Random shards fill 83% of the packing bound (8,674 of 10,416 tenants with 64 slots, 4 a tenant, m = 2), because
 * each blocks several better ones. When m = k − 2 and the registry is not nearly empty, draws come from a class of
 * shards that never share k − 1 slots, since any k − 1 of them determine the last. That fills 92%. The class: shards
 * whose slots have the exclusive or 0 (where n is a power of two; for k = 4 the Boolean Steiner quadruple system, which
 * reaches the bound), else the sum 0 modulo n (Graham and Sloane, Lower bounds for constant weight codes, 1980). Each
 * draw is checked like any other.
 *
 * <p>Owner: {@link ShardRegistry}, whose index it reads. Bound: {@link #MAX_DRAWS} and {@link #MAX_STEPS} for one
 * search.
 */
final class ShardSearch {
    /** Maximum number of draws of each kind. */
    static final int MAX_DRAWS = 256;
    /**
     * Maximum slots and sets of slots that the systematic search tries, plus the sets of one shard. It covers all
     * shards of 64 slots, 4 a tenant, and costs half a second.
     */
    static final int MAX_STEPS = 1 << 22;
    /** A registry is nearly empty below this fraction (1/32) of its packing bound. */
    private static final int SPARSE = 32;

    private final int slots;
    private final int overlap;
    private final int bits;
    /** Null where each slot is a partition of its own. */
    private final VirtualSlots partitions;
    private final SubsetIndex index;
    /** Sorted prefixes of the systematic search, by depth. */
    private final int[][] prefixes = new int[Shard.MAX_SIZE + 1][Shard.MAX_SIZE];
    private int[] chosen;
    private int steps;

    ShardSearch(int slots, int overlap, VirtualSlots partitions, SubsetIndex index) {
        this.slots = slots;
        this.overlap = overlap;
        this.partitions = partitions;
        this.index = index;
        this.bits = bitsFor(slots);
    }

    static int bitsFor(int slots) {
        return Math.max(1, 32 - Integer.numberOfLeadingZeros(slots - 1));
    }

    /**
     * Searches for a shard.
     *
     * @param hash     of tenant and seed: the first draw is that of {@link ShuffleSharder}
     * @param size     k, at most slots
     * @param excluded a shard that must not be returned, or null
     * @param bound    number of all subsets of m+1 slots
     */
    ShardResult find(long hash, int size, Shard excluded, double bound) {
        if (index.size() + Combinations.choose(size, overlap + 1).intValue() > bound) {
            return new ShardResult.Refused(ShardResult.Reason.FULL, ShardResult.Effort.NONE);
        }
        boolean structured = overlap == size - 2 && size > 2;
        int draws = 0;
        int[] drawn = new int[size];
        if (!structured || index.size() < bound / SPARSE) {
            draws++;
            ShuffleSharder.draw(hash, slots, size, drawn);
            if (fits(drawn, excluded)) {
                return assigned(drawn, draws, 0);
            }
        }
        for (int attempt = structured ? -MAX_DRAWS : 0; attempt < MAX_DRAWS; attempt++) {
            draws++;
            long mixed = TenantHash.mix(hash + (attempt + MAX_DRAWS + 1) * TenantHash.GOLDEN_RATIO);
            if (attempt < 0) {
                drawOfClass(mixed, drawn);
            } else {
                drawOne(mixed, drawn);
            }
            if (fits(drawn, excluded)) {
                return assigned(drawn, draws, 0);
            }
        }
        steps = 0;
        chosen = null;
        // Starts at a slot that depends on the tenant: otherwise the last shards would all use the first slots.
        if (!extend(0, size, 0, ShuffleSharder.below(hash, slots), excluded)) {
            return new ShardResult.Refused(ShardResult.Reason.GAVE_UP, new ShardResult.Effort(draws, steps));
        }
        return chosen == null
                ? new ShardResult.Refused(ShardResult.Reason.NONE_LEFT, new ShardResult.Effort(draws, steps))
                : assigned(chosen, draws, steps);
    }

    /** Returns whether a subset of m+1 of these sorted slots is in use. */
    boolean isShared(int[] sorted, int size) {
        return anyInUse(sorted, size, 0, overlap + 1, 0, -1);
    }

    private static ShardResult assigned(int[] slots, int draws, int steps) {
        return new ShardResult.Assigned(Shard.of(slots), new ShardResult.Effort(draws, steps));
    }

    /** Draws any shard. Draws slot by slot where slots share partitions, because few whole shards would be valid. */
    private void drawOne(long hash, int[] drawn) {
        if (partitions == null) {
            ShuffleSharder.draw(hash, slots, drawn.length, drawn);
            return;
        }
        long random = hash;
        for (int count = 0; count < drawn.length; count++) {
            int tries = 0;
            do {
                random = TenantHash.mix(random + TenantHash.GOLDEN_RATIO);
                drawn[count] = ShuffleSharder.below(random, slots);
            } while (++tries < MAX_DRAWS && (PartitionPlacement.has(drawn, count, drawn[count]) || !allowed(drawn,
                    count + 1)));
        }
        Arrays.sort(drawn);
    }

    /** Draws all slots but one, and computes the last one of the class, which may be a duplicate. */
    private void drawOfClass(long hash, int[] drawn) {
        int last = drawn.length - 1;
        ShuffleSharder.draw(hash, slots, last, drawn);
        boolean isPowerOfTwo = Integer.bitCount(slots) == 1;
        int rest = 0;
        for (int i = 0; i < last; i++) {
            rest = isPowerOfTwo ? rest ^ drawn[i] : rest + drawn[i];
        }
        drawn[last] = isPowerOfTwo ? rest : Math.floorMod(-rest, slots);
        Arrays.sort(drawn);
    }

    private boolean fits(int[] sorted, Shard excluded) {
        for (int i = 1; i < sorted.length; i++) {
            if (sorted[i] == sorted[i - 1]) {
                return false;
            }
        }
        return allowed(sorted, sorted.length)
                && !isShared(sorted, sorted.length)
                && (excluded == null || !Arrays.equals(sorted, excluded.slots()));
    }

    private boolean allowed(int[] slotsChosen, int count) {
        return partitions == null || !partitions.haveSharedPartition(slotsChosen, count);
    }

    /** Tries all extensions of a prefix, starting at an offset. Returns false when the step limit is reached. */
    private boolean extend(int depth, int size, int from, int offset, Shard excluded) {
        if (depth == size) {
            if (excluded == null || !Arrays.equals(Arrays.copyOf(prefixes[depth], size), excluded.slots())) {
                chosen = Arrays.copyOf(prefixes[depth], size);
            }
            return true;
        }
        int[] longer = prefixes[depth + 1];
        for (int i = from; i <= slots - (size - depth) && chosen == null; i++) {
            if (++steps > MAX_STEPS) {
                return false;
            }
            int at = insert(prefixes[depth], depth, i + offset < slots ? i + offset : i + offset - slots, longer);
            if (!anyInUse(longer, depth + 1, 0, overlap + 1, 0, at)
                    && allowed(longer, depth + 1)
                    && !extend(depth + 1, size, i + 1, offset, excluded)) {
                return false;
            }
        }
        return true;
    }

    /** Copies a sorted prefix with one more slot and returns the index of that slot. */
    private static int insert(int[] prefix, int length, int slot, int[] into) {
        int at = length;
        while (at > 0 && prefix[at - 1] > slot) {
            into[at] = prefix[at - 1];
            at--;
        }
        into[at] = slot;
        System.arraycopy(prefix, 0, into, 0, at);
        return at;
    }

    /**
     * Returns whether a subset of {@code left} slots from an index on is in use, among those that contain index
     * {@code must} (−1: all).
     */
    private boolean anyInUse(int[] sorted, int size, int from, int left, long key, int must) {
        if (left == 0) {
            steps++;
            return must < from && index.count(key) > 0;
        }
        for (int i = from; i <= size - left; i++) {
            if (must >= from && i > must) {
                return false;
            }
            if (anyInUse(sorted, size, i + 1, left - 1, key << bits | sorted[i], must)) {
                return true;
            }
        }
        return false;
    }
}
