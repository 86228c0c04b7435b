package io.spillway.policy;

import java.util.Arrays;

/**
 * Chooses among the partitions of a tenant the one with the least waiting work: what the last {@link WaitingWork} says, and
 * what was chosen here since. Without the latter all would run to one partition until the next reading (Mitzenmacher, How
 * useful is old information?, 2000). A stuck partition is passed over unless all are stuck.
 *
 * <p>What other threads and processes send is seen with the next reading only.
 *
 * <p>Owner: one stream thread, for one lane. Bound: a number for each partition.
 */
public final class LeastLoaded {
    private final long[] sent;
    private WaitingWork reading;

    /**
     * @param partitions of the lane, 1 or more
     * @throws IllegalArgumentException when there are none
     */
    public LeastLoaded(int partitions) {
        if (partitions < 1) {
            throw new IllegalArgumentException("partitions = " + partitions + ": must be 1 or more");
        }
        this.sent = new long[partitions];
        this.reading = WaitingWork.unknown(0);
    }

    /**
     * Chooses, and counts an item as sent there. Nothing is allocated.
     *
     * @param candidates a tenant's partitions, each below those given to the constructor; not null
     * @param count      how many of them count, from the first on: 1 or more
     * @param latest     the latest reading, not null: when it is another than last time, what was sent before it is forgotten
     * @param tie        any number that differs from item to item: partitions with equally little work take turns by it
     * @return one of the candidates
     * @throws IllegalArgumentException when none counts
     */
    public int choose(int[] candidates, int count, WaitingWork latest, long tie) {
        if (count < 1) {
            throw new IllegalArgumentException("count = " + count + ": must be 1 or more");
        }
        if (latest != reading) {
            reading = latest;
            Arrays.fill(sent, 0);
        }
        boolean allStuck = true;
        for (int i = 0; i < count; i++) {
            allStuck &= latest.isStuck(candidates[i]);
        }
        long least = Long.MAX_VALUE;
        int ties = 0;
        for (int i = 0; i < count; i++) {
            long load = load(candidates[i], allStuck);
            if (load < least) {
                least = load;
                ties = 1;
            } else if (load == least) {
                ties++;
            }
        }
        int turn = Math.floorMod(tie, ties);
        int at = -1;
        while (turn >= 0) {
            turn -= load(candidates[++at], allStuck) == least ? 1 : 0;
        }
        sent[candidates[at]]++;
        return candidates[at];
    }

    /** Items sent to a partition since the last reading. */
    public long sentSince(int partition) {
        return sent[partition];
    }

    private long load(int partition, boolean evenStuck) {
        return reading.isStuck(partition) && !evenStuck ? Long.MAX_VALUE : reading.waiting(partition) + sent[partition];
    }
}
