package io.spillway.core.overload;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Chooses among the partitions of a tenant the one with the least waiting work: what the last {@link PartitionBacklog} says, and
 * what was chosen here since. Without the latter all would run to one partition until the next reading (Mitzenmacher, How
 * useful is old information?, 2000). A stuck partition is passed over unless all are stuck.
 *
 * <p>What other processes send is seen with the next reading only; what other threads send, at once: a burst is read by one
 * thread, and the others' tenants are to keep out of its way.
 *
 * <p>For any number of threads, for one lane. Two that meet a new reading at once may lose a few counts. Bound: a number for
 * each partition.
 */
public final class LeastLoaded {
    private volatile Since since;

    /**
     * @param partitions of the lane, 1 or more
     * @throws IllegalArgumentException when there are none
     */
    public LeastLoaded(int partitions) {
        if (partitions < 1) {
            throw new IllegalArgumentException("partitions = " + partitions + ": must be 1 or more");
        }
        this.since = new Since(PartitionBacklog.unknown(0), new AtomicLongArray(partitions));
    }

    /**
     * Chooses, and counts an item as sent there. Nothing is allocated but counters for a new reading.
     *
     * @param candidates a tenant's partitions, each below those given to the constructor; not null
     * @param count      how many of them count, from the first on: 1 or more
     * @param latest     the latest reading, not null: when it is another than last time, what was sent before it is forgotten
     * @param tie        any number that differs from item to item: partitions with equally little work take turns by it
     * @return one of the candidates
     * @throws IllegalArgumentException when none counts
     */
    public int choose(int[] candidates, int count, PartitionBacklog latest, long tie) {
        if (count < 1) {
            throw new IllegalArgumentException("count = " + count + ": must be 1 or more");
        }
        Since now = since;
        if (latest != now.reading) {
            now = new Since(latest, new AtomicLongArray(now.sent.length()));
            since = now;
        }
        boolean allStuck = true;
        for (int i = 0; i < count; i++) {
            allStuck &= latest.isStuck(candidates[i]);
        }
        long least = Long.MAX_VALUE;
        int ties = 0;
        int at = 0;
        for (int i = 0; i < count; i++) {
            long load = now.load(candidates[i], allStuck);
            if (load < least) {
                least = load;
                at = i;
                ties = 1;
            } else if (load == least) {
                ties++;
            }
        }
        int turn = Math.floorMod(tie, ties);
        // Another thread may have changed the numbers meanwhile: then the first of the least it is.
        for (int i = at; i < count && turn >= 0; i++) {
            if (now.load(candidates[i], allStuck) == least) {
                at = i;
                turn--;
            }
        }
        now.sent.getAndIncrement(candidates[at]);
        return candidates[at];
    }

    /** Items sent to a partition since the last reading. */
    public long sentSince(int partition) {
        return since.sent.get(partition);
    }

    private record Since(PartitionBacklog reading, AtomicLongArray sent) {
        long load(int partition, boolean evenStuck) {
            return reading.isStuck(partition) && !evenStuck
                    ? Long.MAX_VALUE
                    : reading.waiting(partition) + sent.get(partition);
        }
    }
}
