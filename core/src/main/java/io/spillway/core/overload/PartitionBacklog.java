package io.spillway.core.overload;

import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Waiting items of each partition of a lane, and whether its consumer is stuck (see {@link LaneProgress}). Immutable;
 * each measurement creates a new object, which is published to all threads.
 */
public final class PartitionBacklog {
    /** Backlog before the first measurement: no items, no stuck partition. */
    public static final PartitionBacklog UNKNOWN = of();

    private final long[] waiting;
    private final boolean[] stuck;

    PartitionBacklog(long[] waiting, boolean[] stuck) {
        this.waiting = waiting;
        this.stuck = stuck;
    }

    /** Returns a backlog whose progress is not measured: no partition is stuck. Each is 0 or more; copied. */
    public static PartitionBacklog of(long... waiting) {
        return new PartitionBacklog(waiting.clone(), new boolean[waiting.length]);
    }

    /** Returns the waiting items of a partition; 0 for an unknown partition. */
    public long waiting(int partition) {
        return partition < waiting.length ? waiting[partition] : 0;
    }

    /** Returns the waiting items of all partitions. */
    public long total() {
        return Arrays.stream(waiting).sum();
    }

    /** Returns the waiting items of the partitions with these numbers. */
    public long total(IntPredicate which) {
        return IntStream.range(0, waiting.length).filter(which).mapToLong(i -> waiting[i]).sum();
    }

    /** Returns whether the consumer of a partition is stuck; false for an unknown partition. */
    public boolean isStuck(int partition) {
        return partition < stuck.length && stuck[partition];
    }

    /** Returns the number of stuck partitions. */
    public int stuckPartitions() {
        int count = 0;
        for (boolean isStuck : stuck) {
            count += isStuck ? 1 : 0;
        }
        return count;
    }
}
