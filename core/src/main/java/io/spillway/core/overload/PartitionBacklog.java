package io.spillway.core.overload;

import java.util.Arrays;

/**
 * Waiting items of each partition of a lane, and whether its consumer is stuck. Immutable; each update creates a new
 * object, which is published to all threads.
 *
 * <p>A partition is stuck when it has had unfinished items for {@code stuckAfterMillis} and finished none. A consumer
 * that hangs on some items still finishes others, so its partition is not stuck.
 */
public final class PartitionBacklog {
    private final long[] waiting;
    private final long[] finished;
    /** Time since when there are items and no progress; undefined where nothing waits. */
    private final long[] sinceMillis;
    private final boolean[] stuck;

    private PartitionBacklog(long[] waiting, long[] finished, long[] sinceMillis, boolean[] stuck) {
        this.waiting = waiting;
        this.finished = finished;
        this.sinceMillis = sinceMillis;
        this.stuck = stuck;
    }

    /** Returns the backlog before the first update: no items, no stuck partition. */
    public static PartitionBacklog unknown(int partitions) {
        long[] zeros = new long[partitions];
        return new PartitionBacklog(zeros, zeros, zeros, new boolean[partitions]);
    }

    /** Returns a backlog whose progress is not measured: no partition is stuck. Each is 0 or more; copied. */
    public static PartitionBacklog of(long... waiting) {
        return new PartitionBacklog(
                waiting.clone(), new long[waiting.length], new long[waiting.length], new boolean[waiting.length]);
    }

    /**
     * Returns the backlog after an update. The number of partitions may differ.
     *
     * @param nowWaiting       unfinished items by partition, each 0 or more; copied
     * @param nowFinished      number by partition that changes when an item finishes; same length; copied
     * @param stuckAfterMillis time without a finished item, 1 or more
     */
    public PartitionBacklog next(long[] nowWaiting, long[] nowFinished, long nowMillis, long stuckAfterMillis) {
        if (nowWaiting.length != nowFinished.length || stuckAfterMillis < 1) {
            throw new IllegalArgumentException("waiting of " + nowWaiting.length + " partitions, finished of "
                    + nowFinished.length + ", stuckAfterMillis = " + stuckAfterMillis
                    + ": must be the same number, and 1 or more");
        }
        long[] since = new long[nowWaiting.length];
        boolean[] isStuck = new boolean[nowWaiting.length];
        for (int i = 0; i < nowWaiting.length; i++) {
            if (nowWaiting[i] < 0) {
                throw new IllegalArgumentException(
                        "partition " + i + ": " + nowWaiting[i] + " waiting: must be 0 or more");
            }
            boolean isUnchanged = i < waiting.length
                    && waiting[i] > 0 && nowWaiting[i] > 0 && finished[i] == nowFinished[i];
            // A clock that was set back must not give a negative duration.
            since[i] = isUnchanged ? Math.min(sinceMillis[i], nowMillis) : nowMillis;
            isStuck[i] = nowMillis - since[i] >= stuckAfterMillis;
        }
        return new PartitionBacklog(nowWaiting.clone(), nowFinished.clone(), since, isStuck);
    }

    /** Returns the number of partitions. */
    public int partitions() {
        return waiting.length;
    }

    /** Returns the waiting items of a partition; 0 for an unknown partition. */
    public long waiting(int partition) {
        return partition < waiting.length ? waiting[partition] : 0;
    }

    /** Returns the waiting items of all partitions. */
    public long total() {
        return Arrays.stream(waiting).sum();
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
