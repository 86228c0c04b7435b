package io.spillway.core.overload;

import io.spillway.core.item.Lane;

/** Latest backlogs of the lanes that workers work on. Immutable; replaced at each measurement. */
public record LaneBacklogs(PartitionBacklog hot, PartitionBacklog overflow, PartitionBacklog aged) {
    /** Backlogs before the first measurement: nothing waits. */
    public static final LaneBacklogs UNKNOWN =
            new LaneBacklogs(PartitionBacklog.UNKNOWN, PartitionBacklog.UNKNOWN, PartitionBacklog.UNKNOWN);

    /** Returns one lane's backlog; that of delay and dead-letter is never measured. */
    public PartitionBacklog of(Lane lane) {
        return switch (lane) {
            case HOT -> hot;
            case OVERFLOW -> overflow;
            case AGED -> aged;
            case DELAY, DEAD_LETTER -> PartitionBacklog.UNKNOWN;
        };
    }
}
