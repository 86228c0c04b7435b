package io.spillway.router.route;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.PartitionBacklog;

/**
 * What waits in the partitions of the lanes that are chosen by it, as it was read last. Immutable: one is made of each
 * reading, and swapped in for all threads.
 */
public record LaneBacklogs(PartitionBacklog hot, PartitionBacklog overflow) {
    private static final PartitionBacklog NOT_READ = PartitionBacklog.unknown(0);
    /** Before the first reading: all partitions are alike. */
    public static final LaneBacklogs UNKNOWN = new LaneBacklogs(NOT_READ, NOT_READ);

    /** Of one lane. Aged is not read: what is there has no hurry, so items only take turns. */
    public PartitionBacklog of(Lane lane) {
        return switch (lane) {
            case HOT -> hot;
            case OVERFLOW -> overflow;
            case AGED, DELAY, DEAD_LETTER -> NOT_READ;
        };
    }
}
