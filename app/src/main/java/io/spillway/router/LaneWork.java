package io.spillway.router;

import io.spillway.policy.Lane;
import io.spillway.policy.WaitingWork;

/**
 * What waits in the partitions of the lanes that are chosen by it, as it was read last. Immutable: one is made of each
 * reading, and swapped in for all threads.
 */
record LaneWork(WaitingWork hot, WaitingWork overflow) {
    private static final WaitingWork NOT_READ = WaitingWork.unknown(0);
    /** Before the first reading: all partitions are alike. */
    static final LaneWork UNKNOWN = new LaneWork(NOT_READ, NOT_READ);

    /** Of one lane. Aged is not read: what is there has no hurry, so items only take turns. */
    WaitingWork of(Lane lane) {
        return switch (lane) {
            case HOT -> hot;
            case OVERFLOW -> overflow;
            case AGED, DELAY, DEAD_LETTER -> NOT_READ;
        };
    }
}
