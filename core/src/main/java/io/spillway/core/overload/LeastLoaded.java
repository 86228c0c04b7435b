package io.spillway.core.overload;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Selection of the tenant's partition with the least waiting work: the latest {@link PartitionBacklog} plus the items
 * sent here since. Without the second part, all items would go to one partition until the next backlog (Mitzenmacher,
 * How useful is old information?, 2000). Stuck partitions are skipped unless all are stuck.
 *
 * <p>Thread-safe, for one lane. Items sent by other threads count at once; items of other processes count with the next
 * backlog. Two threads that meet a new backlog at once may lose a few counts. Bound: one number for each partition.
 */
public final class LeastLoaded {
    private volatile Load current;

    /** Creates the selection of a lane with this many partitions, 1 or more. */
    public LeastLoaded(int partitions) {
        if (partitions < 1) {
            throw new IllegalArgumentException("partitions = " + partitions + ": must be 1 or more");
        }
        this.current = new Load(PartitionBacklog.unknown(0), new AtomicLongArray(partitions));
    }

    /**
     * Selects one of the candidates and counts one item as sent to it. Allocates only for a new backlog.
     *
     * @param candidates the tenant's partitions, each below the number given to the constructor
     * @param count      number of valid candidates, from the first on: 1 or more
     * @param latest     latest backlog; a new object resets the counts of sent items
     * @param tie        any number that differs from item to item; selects among equally loaded partitions
     */
    public int choose(int[] candidates, int count, PartitionBacklog latest, long tie) {
        if (count < 1) {
            throw new IllegalArgumentException("count = " + count + ": must be 1 or more");
        }
        Load now = current;
        if (latest != now.backlog) {
            now = new Load(latest, new AtomicLongArray(now.sent.length()));
            current = now;
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
        int skip = Math.floorMod(tie, ties);
        // If other threads changed the counts meanwhile, the last match is used.
        for (int i = at; i < count && skip >= 0; i++) {
            if (now.load(candidates[i], allStuck) == least) {
                at = i;
                skip--;
            }
        }
        now.sent.getAndIncrement(candidates[at]);
        return candidates[at];
    }

    private record Load(PartitionBacklog backlog, AtomicLongArray sent) {
        long load(int partition, boolean includeStuck) {
            return backlog.isStuck(partition) && !includeStuck
                    ? Long.MAX_VALUE
                    : backlog.waiting(partition) + sent.get(partition);
        }
    }
}
