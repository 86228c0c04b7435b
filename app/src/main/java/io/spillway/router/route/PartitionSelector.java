package io.spillway.router.route;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.LeastLoaded;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.sharding.PartitionPlacement;
import io.spillway.kafka.view.PlacementView;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * Partition selection for items: the partition with the smallest backlog among those of the tenant's shard.
 *
 * <p>Safe for any number of threads, which count the items that they send together. Each thread has its own
 * {@link Scratch}.
 */
public final class PartitionSelector {
    private final PlacementView placements;
    private final Supplier<LaneBacklogs> backlogs;
    private final LeastLoaded[] lanes = new LeastLoaded[Lane.DELAY.ordinal() + 1];
    private final ThreadLocal<Scratch> scratches = ThreadLocal.withInitial(Scratch::new);

    /** Creates the selector of one process for this number of partitions of each lane. */
    public PartitionSelector(PlacementView placements, int partitions, Supplier<LaneBacklogs> backlogs) {
        this.placements = placements;
        this.backlogs = backlogs;
        Arrays.setAll(lanes, lane -> new LeastLoaded(partitions));
    }

    /** Selects a partition for an item, whose workload may be empty, and adds the item to its counted backlog. */
    int select(Lane lane, String tenant, String workload, TenantPolicy policy) {
        Scratch scratch = scratches.get();
        int count = placements.partitions(tenant, workload, policy, scratch.candidates);
        return lanes[lane.ordinal()].choose(scratch.candidates, count, backlogs.get().of(lane), scratch.sequence++);
    }

    /** Owner: one stream thread. */
    private static final class Scratch {
        final int[] candidates = new int[PartitionPlacement.MAX_PARTITIONS];
        long sequence;
    }
}
