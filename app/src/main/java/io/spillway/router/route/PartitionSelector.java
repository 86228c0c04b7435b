package io.spillway.router.route;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.LeastLoaded;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.sharding.PartitionPlacement;
import io.spillway.kafka.view.PlacementView;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * Chooses the partition of an item: of those that its tenant's shard has, the one with the least waiting work.
 *
 * <p>For any number of threads, which count together what they send. Each has a {@link Scratch} of its own, which it alone changes.
 */
public final class PartitionSelector {
    private final PlacementView placements;
    private final Supplier<LaneBacklogs> work;
    private final LeastLoaded[] lanes = new LeastLoaded[Lane.AGED.ordinal() + 1];
    private final ThreadLocal<Scratch> scratches = ThreadLocal.withInitial(Scratch::new);

    /**
     * Makes one for a process.
     *
     * @param partitions of each lane
     * @param work       the latest reading, never null
     */
    public PartitionSelector(PlacementView placements, int partitions, Supplier<LaneBacklogs> work) {
        this.placements = placements;
        this.work = work;
        Arrays.setAll(lanes, lane -> new LeastLoaded(partitions));
    }

    /**
     * Chooses, and counts the item as sent there.
     *
     * @param lane     where it goes
     * @param tenant   not null
     * @param workload not null, may be empty
     * @param policy   the tenant's
     */
    int place(Lane lane, String tenant, String workload, TenantPolicy policy) {
        Scratch scratch = scratches.get();
        int count = placements.partitions(tenant, workload, policy, scratch.candidates);
        return lanes[lane.ordinal()].choose(scratch.candidates, count, work.get().of(lane), scratch.turn++);
    }

    /** Owner: one stream thread. */
    private static final class Scratch {
        final int[] candidates = new int[PartitionPlacement.MAX_PARTITIONS];
        long turn;
    }
}
