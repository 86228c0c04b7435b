package io.spillway.core.routing;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.Fleet;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.sharding.PartitionPlacement;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Partition selection for a routed item: the partition in which the {@link Fleet} expects it to wait least. Hot uses
 * the shard of the tenant. Excess and old items, which wait for idle capacity, may go to any partition that is not
 * dedicated to another tenant, if they would wait longer than {@value #PATIENCE_MILLIS} ms in the shard: so a few items
 * that kill their workers stay in it, and a large backlog uses the whole fleet.
 *
 * <p>Safe for any number of threads if the shards are; each thread has its own {@link Scratch}.
 */
public final class ItemPlacement {
    private static final long PATIENCE_MILLIS = 1_000;

    private final Fleet fleet;
    private final Shards shards;
    private final ThreadLocal<Scratch> scratches = ThreadLocal.withInitial(Scratch::new);
    /** Of all threads: one that makes a single attempt would always begin with the first partition. */
    private final AtomicLong retries = new AtomicLong();

    /** Partitions that a tenant's items may go to. */
    public interface Shards {
        /**
         * Writes the partitions of a tenant's shard, or of its workload's part of it, and returns their number.
         *
         * @param workload empty for none
         * @param into     array of length {@link PartitionPlacement#MAX_PARTITIONS}
         */
        int ofTenant(TenantContext tenant, String workload, int[] into);

        /** Returns the partitions that a tenant's excess may use; not to be modified. */
        int[] ofExcess(TenantContext tenant);
    }

    /**
     * Result for one item.
     *
     * @param partition of the lane; {@link #ANYWHERE} for one that is not placed by load
     */
    public record Placed(Route route, int partition) {
        /** Any partition of the lane, or none. */
        public static final int ANYWHERE = -1;
    }

    private static final class Scratch {
        final int[] candidates = new int[PartitionPlacement.MAX_PARTITIONS];
        long turn;
    }

    /** Creates the selection of one process. */
    public ItemPlacement(Fleet fleet, Shards shards) {
        this.fleet = fleet;
        this.shards = shards;
    }

    /**
     * Returns the partition for a retry in the delay lane, or for a move within a lane: the item's own, or another of
     * its tenant's shard if the item was outside of it. The retry budget of a tenant has a part in each partition of
     * its shard.
     */
    public int retryPartition(TenantContext tenant, String workload, int partition) {
        Scratch scratch = scratches.get();
        int count = shards.ofTenant(tenant, workload, scratch.candidates);
        for (int i = 0; i < count; i++) {
            if (scratch.candidates[i] == partition) {
                return partition;
            }
        }
        return scratch.candidates[(int) Math.floorMod(retries.getAndIncrement(), (long) count)];
    }

    /**
     * Selects the partition of overflow or aged for an item that its worker moves: one of the same worker, unless it
     * would wait long there. That worker is at work, which the others may not be.
     *
     * @param partition in which the item is
     */
    public int moved(Route.ToLane to, TenantContext tenant, String workload, int partition, long nowMillis) {
        Scratch scratch = scratches.get();
        int[] candidates = scratch.candidates;
        int count = fleet.keepOwnersOf(
                to.lane(), partition, candidates, shards.ofTenant(tenant, workload, candidates));
        if (count == 0) {
            candidates[count++] = partition;
        }
        int same = fleet.placeWithin(
                to.lane(), candidates, count, PATIENCE_MILLIS, scratch.turn++, tenant.hash(), nowMillis);
        return same == Fleet.EXCESS ? place(to, tenant, workload, false, nowMillis).partition() : same;
    }

    /** Selects the partition of hot for an item that does not count in its tenant's share. */
    Placed placeUrgent(Route.ToLane hot, TenantContext tenant, String workload, long nowMillis) {
        Scratch scratch = scratches.get();
        int count = shards.ofTenant(tenant, workload, scratch.candidates);
        return new Placed(hot, fleet.place(
                Lane.HOT, scratch.candidates, count, scratch.turn++, tenant.hash(), nowMillis));
    }

    /**
     * Selects the partition of a route and counts the item there. A route to hot may become {@link Route#SURPLUS}, that
     * of a retry also where it would only delay fresh items.
     */
    public Placed place(Route route, TenantContext tenant, String workload, boolean isAttempted, long nowMillis) {
        if (!(route instanceof Route.ToLane to) || !to.lane().isWorked()) {
            return new Placed(route, Placed.ANYWHERE);
        }
        Scratch scratch = scratches.get();
        int count = shards.ofTenant(tenant, workload, scratch.candidates);
        if (to.lane() == Lane.HOT) {
            int partition = fleet.placeInHot(
                    tenant, workload, isAttempted, scratch.candidates, count, scratch.turn++, nowMillis);
            if (partition != Fleet.EXCESS) {
                return new Placed(to, partition);
            }
            to = Route.SURPLUS;
        }
        int inShard = fleet.placeWithin(
                to.lane(), scratch.candidates, count, PATIENCE_MILLIS, scratch.turn++, tenant.hash(), nowMillis);
        if (inShard != Fleet.EXCESS) {
            return new Placed(to, inShard);
        }
        int[] all = shards.ofExcess(tenant);
        return new Placed(to, fleet.place(to.lane(), all, all.length, scratch.turn++, tenant.hash(), nowMillis));
    }
}
