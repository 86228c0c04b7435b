package io.spillway.core.overload;

import java.util.Arrays;

/**
 * What waits in each partition of a lane, as it was read about a second ago, and whose consumers are stuck. Immutable: one is
 * made from the one before and a new reading, and swapped in for all threads.
 *
 * <p>A partition is stuck when it has had unfinished work for {@code stuckAfterMillis} and nothing of it was finished. One
 * whose consumer only hangs on a few items goes on finishing others, and is not.
 */
public final class PartitionBacklog {
    private final long[] waiting;
    private final long[] finished;
    /** Since when there is work and no progress; of no use where nothing waits. */
    private final long[] sinceMillis;
    private final boolean[] stuck;

    private PartitionBacklog(long[] waiting, long[] finished, long[] sinceMillis, boolean[] stuck) {
        this.waiting = waiting;
        this.finished = finished;
        this.sinceMillis = sinceMillis;
        this.stuck = stuck;
    }

    /**
     * Before the first reading: nothing waits, nobody is stuck.
     *
     * @param partitions 0 or more
     */
    public static PartitionBacklog unknown(int partitions) {
        return new PartitionBacklog(new long[partitions], new long[partitions], new long[partitions], new boolean[partitions]);
    }

    /**
     * What is known after another reading. It may have more or fewer partitions than the one before.
     *
     * @param nowWaiting       items not finished, by partition, each 0 or more; copied
     * @param nowFinished      a number for each partition that changes when an item of it is finished; as many; copied
     * @param nowMillis        when it was read, on the clock of all readings
     * @param stuckAfterMillis how long nothing may be finished, 1 or more
     * @throws IllegalArgumentException when a number is out of its range
     */
    public PartitionBacklog next(long[] nowWaiting, long[] nowFinished, long nowMillis, long stuckAfterMillis) {
        if (nowWaiting.length != nowFinished.length || stuckAfterMillis < 1) {
            throw new IllegalArgumentException(nowWaiting.length + " partitions and " + nowFinished.length
                    + ", stuck after " + stuckAfterMillis + " ms: must be as many, and 1 or more");
        }
        long[] since = new long[nowWaiting.length];
        boolean[] isStuck = new boolean[nowWaiting.length];
        for (int i = 0; i < nowWaiting.length; i++) {
            if (nowWaiting[i] < 0) {
                throw new IllegalArgumentException("partition " + i + ": " + nowWaiting[i] + " waiting: must be 0 or more");
            }
            boolean goesOn = i < waiting.length && waiting[i] > 0 && nowWaiting[i] > 0 && finished[i] == nowFinished[i];
            // A clock that was set back must not make the time since then negative for long.
            since[i] = goesOn ? Math.min(sinceMillis[i], nowMillis) : nowMillis;
            isStuck[i] = nowMillis - since[i] >= stuckAfterMillis;
        }
        return new PartitionBacklog(nowWaiting.clone(), nowFinished.clone(), since, isStuck);
    }

    /** How many partitions were read. */
    public int partitions() {
        return waiting.length;
    }

    /** Items waiting in a partition, 0 in one that was not read. */
    public long waiting(int partition) {
        return partition < waiting.length ? waiting[partition] : 0;
    }

    /** Whether the consumer of a partition is stuck; one that was not read is not. */
    public boolean isStuck(int partition) {
        return partition < stuck.length && stuck[partition];
    }

    /** Partitions whose consumer is stuck. */
    public int stuckPartitions() {
        int count = 0;
        for (boolean isStuck : stuck) {
            count += isStuck ? 1 : 0;
        }
        return count;
    }

    @Override
    public String toString() {
        return "waiting " + Arrays.toString(waiting) + ", stuck " + Arrays.toString(stuck);
    }
}
