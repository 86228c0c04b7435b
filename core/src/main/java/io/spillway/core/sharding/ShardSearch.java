package io.spillway.core.sharding;

import io.spillway.core.item.TenantHash;
import java.util.Arrays;

/**
 * Looks for a shard that shares at most m slots with every one in the index: draws first, then all shards in order.
 *
 * <p>Any shards fill 83% of the packing bound (8,674 of 10,416 tenants with 64 slots, 4 a tenant, m = 2) and each stands in the
 * way of several better ones. So when m = k − 2 and the book is no longer nearly empty, draws are taken from a class of shards
 * that never share k − 1 slots with one another, since any k − 1 of them decide the last, and 92% are filled: those whose
 * slots have the exclusive or 0 (where n is a power of two; for k = 4 that is the Boolean Steiner quadruple system, which
 * meets the bound), else the sum 0 modulo n (Graham and Sloane, Lower bounds for constant weight codes, 1980). Each is
 * checked like any other.
 *
 * <p>Owner: {@link ShardRegistry}, whose index it reads. Bound: {@link #MAX_DRAWS} and {@link #MAX_STEPS} for one search.
 */
final class ShardSearch {
    /** Most draws of each kind. */
    static final int MAX_DRAWS = 256;
    /**
     * Most slots and sets of slots that the systematic search tries, but for the sets of one shard more: well above what all
     * shards of 64 slots, 4 a tenant, take, and half a second of work.
     */
    static final int MAX_STEPS = 1 << 22;
    /** A book is nearly empty up to this part of its packing bound. */
    private static final int SPARSE = 32;

    private final int slots;
    private final int overlap;
    private final int bits;
    /** Null where each slot is on a partition of its own. */
    private final VirtualSlots partitions;
    private final SubsetIndex index;
    /** Sorted prefixes of the systematic search, one a depth. */
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
     * @param hash   of the tenant and the seed: the first draw is what {@link ShuffleSharder} gives for it
     * @param size   k, at most slots
     * @param not    a shard that will not do, or null
     * @param bound  subsets of m+1 slots that there are
     */
    ShardResult find(long hash, int size, Shard not, double bound) {
        if (index.size() + choose(size, overlap + 1) > bound) {
            return new ShardResult.Refused(ShardResult.Reason.FULL, ShardResult.Effort.NONE);
        }
        boolean structured = overlap == size - 2 && size > 2;
        int draws = 0;
        int[] drawn = new int[size];
        if (!structured || index.size() < bound / SPARSE) {
            draws++;
            ShuffleSharder.draw(hash, slots, size, drawn);
            if (fits(drawn, not)) {
                return assigned(drawn, draws, 0);
            }
        }
        for (int attempt = structured ? -MAX_DRAWS : 0; attempt < MAX_DRAWS; attempt++) {
            draws++;
            long again = TenantHash.mix(hash + (attempt + MAX_DRAWS + 1) * TenantHash.GOLDEN_RATIO);
            if (attempt < 0) {
                drawOfClass(again, drawn);
            } else {
                drawOne(again, drawn);
            }
            if (fits(drawn, not)) {
                return assigned(drawn, draws, 0);
            }
        }
        steps = 0;
        chosen = null;
        // Not from slot 0 on for all: the last shards would crowd there.
        if (!extend(0, size, 0, ShuffleSharder.below(hash, slots), not)) {
            return new ShardResult.Refused(ShardResult.Reason.GAVE_UP, new ShardResult.Effort(draws, steps));
        }
        return chosen == null
                ? new ShardResult.Refused(ShardResult.Reason.NONE_LEFT, new ShardResult.Effort(draws, steps))
                : assigned(chosen, draws, steps);
    }

    /** Whether a subset of m+1 of these sorted slots is in use. */
    boolean isShared(int[] sorted, int size) {
        return anyInUse(sorted, size, 0, overlap + 1, 0, -1);
    }

    private static ShardResult assigned(int[] slots, int draws, int steps) {
        return new ShardResult.Assigned(Shard.of(slots), new ShardResult.Effort(draws, steps));
    }

    /** Any shard; slot by slot where slots have partitions in common, since few whole shards would do. */
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
            } while (++tries < MAX_DRAWS && (has(drawn, count, drawn[count]) || !allowed(drawn, count + 1)));
        }
        Arrays.sort(drawn);
    }

    /** All slots but one at random, and the one that belongs to them, which may be among them already. */
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

    private boolean fits(int[] sorted, Shard not) {
        for (int i = 1; i < sorted.length; i++) {
            if (sorted[i] == sorted[i - 1]) {
                return false;
            }
        }
        return allowed(sorted, sorted.length)
                && !isShared(sorted, sorted.length)
                && (not == null || !Arrays.equals(sorted, not.slots()));
    }

    private boolean allowed(int[] slotsChosen, int count) {
        return partitions == null || !partitions.haveSharedPartition(slotsChosen, count);
    }

    /** Tries what can follow a prefix, slot by slot round from an offset. False when it was given up. */
    private boolean extend(int depth, int size, int from, int offset, Shard not) {
        if (depth == size) {
            if (not == null || !Arrays.equals(Arrays.copyOf(prefixes[depth], size), not.slots())) {
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
                    && !extend(depth + 1, size, i + 1, offset, not)) {
                return false;
            }
        }
        return true;
    }

    /** Copies a sorted prefix with one slot more, and says where that is. */
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

    /** Whether a subset of {@code left} of the slots from a place on is in use, of those with the slot at {@code must} (−1: of all). */
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

    private static boolean has(int[] slotsChosen, int count, int slot) {
        for (int i = 0; i < count; i++) {
            if (slotsChosen[i] == slot) {
                return true;
            }
        }
        return false;
    }

    /** C(n,k), exact for the small numbers of a shard. */
    static int choose(int n, int k) {
        long ways = 1;
        for (int i = 1; i <= k; i++) {
            ways = ways * (n - k + i) / i;
        }
        return k > n ? 0 : (int) ways;
    }
}
