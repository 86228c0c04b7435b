package io.spillway.router.route;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.PartitionBacklog;

/** Latest backlogs of the lanes whose partition is selected by load. Immutable; replaced at each measurement. */
public record LaneBacklogs(PartitionBacklog hot, PartitionBacklog overflow) {
    private static final PartitionBacklog NOT_MEASURED = PartitionBacklog.unknown(0);
    /** Backlogs before the first measurement: all partitions are equal. */
    public static final LaneBacklogs UNKNOWN = new LaneBacklogs(NOT_MEASURED, NOT_MEASURED);

    /** Returns one lane's backlog. Aged and delay are not measured: their items go to the partitions in turn. */
    public PartitionBacklog of(Lane lane) {
        return switch (lane) {
            case HOT -> hot;
            case OVERFLOW -> overflow;
            case AGED, DELAY, DEAD_LETTER -> NOT_MEASURED;
        };
    }
}
