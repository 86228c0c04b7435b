package io.spillway.core.overload;

import io.spillway.core.item.Lane;
import java.util.Arrays;
import java.util.function.Function;

/** Latest backlogs of the lanes that workers work on. Immutable; replaced at each measurement. */
public final class LaneBacklogs {
    /** Backlogs before the first measurement: nothing waits. */
    public static final LaneBacklogs UNKNOWN = measured(lane -> PartitionBacklog.UNKNOWN);

    private final PartitionBacklog[] byLane;

    /** @param inOrder one for each of {@link Lane#WORKED} */
    public LaneBacklogs(PartitionBacklog... inOrder) {
        byLane = inOrder.clone();
    }

    /** Measures each lane. */
    public static LaneBacklogs measured(Function<Lane, PartitionBacklog> measure) {
        return new LaneBacklogs(Lane.WORKED.stream().map(measure).toArray(PartitionBacklog[]::new));
    }

    /** Returns one lane's backlog; that of delay and dead-letter is never measured. */
    public PartitionBacklog of(Lane lane) {
        return lane.isWorked() ? byLane[lane.ordinal()] : PartitionBacklog.UNKNOWN;
    }

    /** Returns the waiting items of all lanes. */
    public long total() {
        return Arrays.stream(byLane).mapToLong(PartitionBacklog::total).sum();
    }
}
