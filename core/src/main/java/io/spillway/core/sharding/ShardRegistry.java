package io.spillway.core.sharding;

import io.spillway.core.hashing.TenantHash;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongConsumer;

/**
 * Registry of the slots of each tenant, in which no two tenants share more than m. The bound holds for every pair, not
 * on average (MacCárthaigh, Workload isolation using shuffle sharding).
 *
 * <p>Two shards share more than m slots when both contain some set of m+1 slots. The registry keeps all (m+1)-subsets
 * of all shards in one {@link SubsetIndex}, so testing a shard of k slots costs C(k, m+1) look-ups for any number of
 * tenants. The search is in {@link ShardSearch}. A tenant gets the requested number of slots, or none and the reason.
 *
 * <p>A result depends only on the assignments, the tenant, the size and the seed, not on the order of the assignments.
 * A registry restored from its stored records in any order gives the same results.
 *
 * <p>Owner: the one thread that writes assignments; not thread-safe. Other threads read {@link Shard}s, which are
 * immutable.
 *
 * <p>Bound: {@value SubsetIndex#MAX_SUBSETS} subsets in all, then {@link ShardResult.Reason#REGISTRY_FULL}.
 */
public final class ShardRegistry {
    /** Maximum number of slots. */
    public static final int MAX_SLOTS = 4_096;
    /** Maximum number of listed conflicts. */
    public static final int MAX_LISTED = 1_000;

    private final int slots;
    private final int overlap;
    private final int bits;
    /** Null where each slot is a partition of its own. */
    private final VirtualSlots partitions;
    private final Map<String, Shard> shards = new HashMap<>();
    private final SubsetIndex index = new SubsetIndex();
    private final ShardSearch search;

    /**
     * Creates an empty registry for slots that are each a partition of their own.
     *
     * @param slots   n, 1 to {@link #MAX_SLOTS}
     * @param overlap m, maximum slots that two tenants may share: 0 to 15, and m+1 slots must fit into 63 bits (up to 9
     *                of 64 slots, up to 4 of 4,096)
     */
    public ShardRegistry(int slots, int overlap) {
        this(slots, overlap, null);
    }

    /**
     * Creates an empty registry as {@link #ShardRegistry(int, int)} does. No tenant gets two slots on one partition.
     */
    public ShardRegistry(VirtualSlots slots, int overlap) {
        this(slots.slots(), overlap, slots);
    }

    private ShardRegistry(int slots, int overlap, VirtualSlots partitions) {
        if (slots < 1 || slots > MAX_SLOTS) {
            throw new IllegalArgumentException("slots = " + slots + ": must be from 1 to " + MAX_SLOTS);
        }
        int max = mostOverlap(slots);
        if (overlap < 0 || overlap > max) {
            throw new IllegalArgumentException(
                    "overlap = " + overlap + ": must be from 0 to " + max + " with " + slots + " slots");
        }
        this.slots = slots;
        this.overlap = overlap;
        this.bits = ShardSearch.bitsFor(slots);
        this.partitions = partitions;
        this.search = new ShardSearch(slots, overlap, partitions, index);
    }

    /** Returns the maximum overlap bound for a number of slots. */
    public static int mostOverlap(int slots) {
        return Math.min(Shard.MAX_SIZE - 1, 63 / ShardSearch.bitsFor(slots) - 1);
    }

    /**
     * Assigns a shard to a tenant. A tenant with a shard of this size keeps it. One with a shard of another size gets a
     * new one, and keeps the old one if there is none.
     *
     * @param size k, 1 to the smaller of slots and {@link Shard#MAX_SIZE}
     * @param seed that of the {@link ShuffleSharder}, whose shard is tried first, so that few tenants move when they
     *             are assigned
     */
    public ShardResult assign(String tenant, int size, long seed) {
        Shard current = shards.get(tenant);
        if (current != null && current.size() == size) {
            return new ShardResult.Assigned(current, ShardResult.Effort.NONE);
        }
        return reassign(tenant, size, seed);
    }

    /**
     * Assigns another shard to a tenant, or a first one, of a size as in {@link #assign}; any seed selects it. If there
     * is none, the tenant keeps its current one.
     */
    public ShardResult reassign(String tenant, int size, long seed) {
        int max = Math.min(slots, Shard.MAX_SIZE);
        if (size < 1 || size > max) {
            throw new IllegalArgumentException(
                    "size = " + size + ": must be from 1 to " + max + " with " + slots + " slots");
        }
        if (isFull(size)) {
            return new ShardResult.Refused(ShardResult.Reason.REGISTRY_FULL, ShardResult.Effort.NONE);
        }
        Shard current = shards.get(tenant);
        if (current != null) {
            forEachSubset(current, index::remove);
        }
        double subsets = Combinations.choose(slots, overlap + 1).doubleValue();
        ShardResult answer = search.find(TenantHash.of(tenant, seed), size, current, subsets);
        switch (answer) {
            case ShardResult.Assigned assigned -> {
                shards.put(tenant, assigned.shard());
                forEachSubset(assigned.shard(), index::add);
            }
            case ShardResult.Refused refused -> {
                if (current != null) {
                    forEachSubset(current, index::add);
                }
            }
        }
        return answer;
    }

    /** Removes a tenant's shard and returns it; empty when it had none. */
    public Optional<Shard> release(String tenant) {
        Shard shard = shards.remove(tenant);
        if (shard != null) {
            forEachSubset(shard, index::remove);
        }
        return Optional.ofNullable(shard);
    }

    /**
     * Restores a stored assignment in place of the tenant's current one. Conflicting records are kept, because the
     * tenants' items are stored accordingly; {@link #reassign} one tenant of each pair to end the conflict.
     */
    public ShardRecord restore(String tenant, Shard shard) {
        release(tenant);
        if (shard.slot(shard.size() - 1) >= slots) {
            return new ShardRecord.Unfit("slot " + shard.slot(shard.size() - 1) + ": must be below " + slots);
        }
        if (partitions != null && partitions.haveSharedPartition(shard.slots(), shard.size())) {
            return new ShardRecord.Unfit("slots " + shard + ": must be on different partitions");
        }
        if (isFull(shard.size())) {
            return new ShardRecord.Unfit(ShardResult.Reason.REGISTRY_FULL.text());
        }
        boolean isConflict = search.isShared(shard.slots(), shard.size());
        shards.put(tenant, shard);
        forEachSubset(shard, index::add);
        return isConflict ? new ShardRecord.Conflicting() : new ShardRecord.Kept();
    }

    /** Returns the tenant's shard; empty when it has none. */
    public Optional<Shard> find(String tenant) {
        return Optional.ofNullable(shards.get(tenant));
    }

    /** Returns the number of tenants with a shard. */
    public int size() {
        return shards.size();
    }

    /**
     * Returns the pairs of tenants that share more slots than allowed, in the order of their names, at most
     * {@link #MAX_LISTED}. Only {@link #restore} can cause them.
     */
    public List<ShardConflict> conflicts() {
        if (index.shared() == 0) {
            return List.of();
        }
        Map<Long, List<String>> bySubset = new TreeMap<>();
        for (String tenant : new TreeSet<>(shards.keySet())) {
            forEachSubset(shards.get(tenant), subset -> {
                if (index.count(subset) > 1) {
                    bySubset.computeIfAbsent(subset, s -> new ArrayList<>()).add(tenant);
                }
            });
        }
        TreeSet<ShardConflict> conflicts =
                new TreeSet<>(Comparator.comparing(ShardConflict::first).thenComparing(ShardConflict::second));
        for (List<String> tenants : bySubset.values()) {
            for (int i = 0; i < tenants.size() && conflicts.size() < MAX_LISTED; i++) {
                for (int j = i + 1; j < tenants.size() && conflicts.size() < MAX_LISTED; j++) {
                    Shard first = shards.get(tenants.get(i));
                    conflicts.add(new ShardConflict(
                            tenants.get(i), tenants.get(j), first.overlap(shards.get(tenants.get(j)))));
                }
            }
        }
        return List.copyOf(conflicts);
    }

    private boolean isFull(int size) {
        return index.size() + Combinations.choose(size, overlap + 1).intValue() > SubsetIndex.MAX_SUBSETS
                || shards.size() >= SubsetIndex.MAX_SUBSETS;
    }

    private void forEachSubset(Shard shard, LongConsumer action) {
        forEachSubset(shard.slots(), 0, overlap + 1, 0, action);
    }

    private void forEachSubset(int[] sorted, int from, int left, long key, LongConsumer action) {
        if (left == 0) {
            action.accept(key);
            return;
        }
        for (int i = from; i <= sorted.length - left; i++) {
            forEachSubset(sorted, i + 1, left - 1, key << bits | sorted[i], action);
        }
    }
}
