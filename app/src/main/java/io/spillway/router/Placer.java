package io.spillway.router;

import io.spillway.policy.Lane;
import io.spillway.policy.LeastLoaded;
import io.spillway.policy.Placement;
import io.spillway.policy.TenantPolicy;
import io.spillway.topic.Placements;
import java.util.function.Supplier;

/**
 * Chooses the partition of an item: of those that its tenant's shard has, the one with the least waiting work.
 *
 * <p>For any number of threads. Each has a {@link Choice} of its own, which it alone changes; bound: three numbers for each
 * partition and thread.
 */
final class Placer {
    private final Placements placements;
    private final Supplier<LaneWork> work;
    private final ThreadLocal<Choice> choices;

    /**
     * Makes one for a process.
     *
     * @param partitions of each lane
     * @param work       the latest reading, never null
     */
    Placer(Placements placements, int partitions, Supplier<LaneWork> work) {
        this.placements = placements;
        this.work = work;
        this.choices = ThreadLocal.withInitial(() -> new Choice(partitions));
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
        Choice choice = choices.get();
        int count = placements.partitions(tenant, workload, policy, choice.candidates);
        return choice.lanes[lane.ordinal()].choose(choice.candidates, count, work.get().of(lane), choice.turn++);
    }

    /** Owner: one stream thread. */
    private static final class Choice {
        final int[] candidates = new int[Placement.MAX_PARTITIONS];
        final LeastLoaded[] lanes = new LeastLoaded[Lane.AGED.ordinal() + 1];
        long turn;

        Choice(int partitions) {
            for (int i = 0; i < lanes.length; i++) {
                lanes[i] = new LeastLoaded(partitions);
            }
        }
    }
}
