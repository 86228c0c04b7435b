package io.spillway.core.sharding;

import io.spillway.core.item.TenantHash;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which slots each tenant has, such that no two tenants share more than m: the bound holds for every pair, not on average
 * (MacCárthaigh, Workload isolation using shuffle sharding).
 *
 * <p>Two shards share more than m slots when some m+1 slots are in both. So the book keeps all (m+1)-subsets of all shards
 * in one {@link SubsetIndex}: to try a shard of k is C(k, m+1) look-ups, however many tenants there are. How shards are
 * looked for: {@link ShardSearch}. A tenant gets as many slots as asked for, or none and the reason.
 *
 * <p>An answer depends on what is assigned, the tenant, the size and the seed, and on nothing else: not on the order in which
 * the assignments came in. A book that is read again from its stored records, in any order, says the same.
 *
 * <p>Owner: the one thread that writes assignments. It is not safe for others; they read {@link Shard}s, which are immutable.
 *
 * <p>Bound: {@value SubsetIndex#MAX_SUBSETS} subsets in all, then {@link ShardResult.Reason#BOOK_FULL}.
 */
public final class ShardRegistry {
    /** Most slots. */
    public static final int MAX_SLOTS = 4_096;
    /** Most conflicts that are listed. */
    public static final int MAX_LISTED = 1_000;

    private final int slots;
    private final int overlap;
    private final int bits;
    /** Null where each slot is on a partition of its own. */
    private final VirtualSlots partitions;
    private final Map<String, Shard> shards = new HashMap<>();
    private final SubsetIndex index = new SubsetIndex();
    private final ShardSearch search;

    /**
     * An empty book for slots that are each on a partition of their own.
     *
     * @param slots   n, 1 to {@link #MAX_SLOTS}
     * @param overlap m, most slots that two tenants may share: 0 to 15, and m+1 slots must fit into 63 bits (up to 9 of
     *                64 slots, up to 4 of 4,096)
     * @throws IllegalArgumentException when an argument is out of its range
     */
    public ShardRegistry(int slots, int overlap) {
        this(slots, overlap, null);
    }

    /** An empty book that gives no tenant two slots on one partition; as {@link #ShardBook(int, int)} otherwise. */
    public ShardRegistry(VirtualSlots slots, int overlap) {
        this(slots.slots(), overlap, slots);
    }

    private ShardRegistry(int slots, int overlap, VirtualSlots partitions) {
        if (slots < 1 || slots > MAX_SLOTS) {
            throw new IllegalArgumentException("slots = " + slots + ": must be from 1 to " + MAX_SLOTS);
        }
        int most = mostOverlap(slots);
        if (overlap < 0 || overlap > most) {
            throw new IllegalArgumentException(
                    "overlap = " + overlap + ": must be from 0 to " + most + " with " + slots + " slots");
        }
        this.slots = slots;
        this.overlap = overlap;
        this.bits = ShardSearch.bitsFor(slots);
        this.partitions = partitions;
        this.search = new ShardSearch(slots, overlap, partitions, index);
    }

    /** The greatest bound on overlap that a book of so many slots can keep. */
    public static int mostOverlap(int slots) {
        return Math.min(Shard.MAX_SIZE - 1, 63 / ShardSearch.bitsFor(slots) - 1);
    }

    /**
     * Gives a tenant a shard. One that has a shard of this size keeps it; one of another size gets a new one for it, and
     * keeps the old when there is none.
     *
     * @param tenant not null
     * @param size   k, 1 to the smaller of slots and {@link Shard#MAX_SIZE}
     * @param seed   with that of a {@link ShuffleSharder} its shard is the first tried, so that few tenants move when
     *               their assignment is written
     * @throws IllegalArgumentException when size is out of its range
     */
    public ShardResult assign(String tenant, int size, long seed) {
        Shard current = shards.get(tenant);
        if (current != null && current.size() == size) {
            return new ShardResult.Assigned(current, ShardResult.Effort.NONE);
        }
        return reassign(tenant, size, seed);
    }

    /**
     * Gives a tenant another shard than it has, or a first one. When there is none it keeps what it has.
     *
     * @param tenant not null
     * @param size   as in {@link #assign}
     * @param seed   any; another seed, another shard
     * @throws IllegalArgumentException when size is out of its range
     */
    public ShardResult reassign(String tenant, int size, long seed) {
        int most = Math.min(slots, Shard.MAX_SIZE);
        if (size < 1 || size > most) {
            throw new IllegalArgumentException("size = " + size + ": must be from 1 to " + most + " with " + slots + " slots");
        }
        if (index.size() + ShardSearch.choose(size, overlap + 1) > SubsetIndex.MAX_SUBSETS
                || shards.size() >= SubsetIndex.MAX_SUBSETS) {
            return new ShardResult.Refused(ShardResult.Reason.BOOK_FULL, ShardResult.Effort.NONE);
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

    /** Takes a tenant's shard back, and says which it was; empty when it had none. */
    public Optional<Shard> release(String tenant) {
        Shard shard = shards.remove(tenant);
        if (shard != null) {
            forEachSubset(shard, index::remove);
        }
        return Optional.ofNullable(shard);
    }

    /**
     * Takes a stored assignment in, in place of what the tenant had. What two conflicting records say is kept as it is: the
     * tenants' items are where the records put them. {@link #reassign} one of each pair to end the conflict.
     *
     * @param tenant not null
     * @param shard  not null
     */
    public ShardRecord restore(String tenant, Shard shard) {
        release(tenant);
        if (shard.slot(shard.size() - 1) >= slots) {
            return new ShardRecord.Unfit("slot " + shard.slot(shard.size() - 1) + ": there are " + slots + " slots");
        }
        if (partitions != null && partitions.haveSharedPartition(shard.slots(), shard.size())) {
            return new ShardRecord.Unfit("slots " + shard + ": two are on the same partition");
        }
        if (index.size() + ShardSearch.choose(shard.size(), overlap + 1) > SubsetIndex.MAX_SUBSETS
                || shards.size() >= SubsetIndex.MAX_SUBSETS) {
            return new ShardRecord.Unfit(ShardResult.Reason.BOOK_FULL.text());
        }
        boolean isConflict = search.isShared(shard.slots(), shard.size());
        shards.put(tenant, shard);
        forEachSubset(shard, index::add);
        return isConflict ? new ShardRecord.Conflicting() : new ShardRecord.Kept();
    }

    /** The tenant's shard, empty when it has none. */
    public Optional<Shard> find(String tenant) {
        return Optional.ofNullable(shards.get(tenant));
    }

    /** Tenants with a shard. */
    public int size() {
        return shards.size();
    }

    /**
     * The pairs of tenants that share more than they may, which only {@link #restore} can bring about, by name, at most
     * {@link #MAX_LISTED}. Costs nothing when there are none.
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
        return Collections.unmodifiableList(new ArrayList<>(conflicts));
    }

    /** What is done with each (m+1)-subset of a shard. */
    private interface SubsetAction {
        void on(long subset);
    }

    private void forEachSubset(Shard shard, SubsetAction action) {
        forEachSubset(shard.slots(), 0, overlap + 1, 0, action);
    }

    private void forEachSubset(int[] sorted, int from, int left, long key, SubsetAction action) {
        if (left == 0) {
            action.on(key);
            return;
        }
        for (int i = from; i <= sorted.length - left; i++) {
            forEachSubset(sorted, i + 1, left - 1, key << bits | sorted[i], action);
        }
    }
}
