package io.spillway.core.overload;

import io.spillway.core.progress.ProgressState;
import java.time.Duration;
import java.util.List;

/**
 * Progress of one lane from one measurement to the next, by the workers' commits.
 *
 * <p>Owner: the thread that measures. Bound: one commit for each partition.
 */
public final class LaneProgress {
    private final long stuckAfterMillis;
    private PartitionBacklog backlog = PartitionBacklog.unknown(0);
    /** Each partition's commit at its last progress. */
    private ProgressState[] lastProgress = {};
    private long[] progressCounts = {};

    /** Creates the progress before the first measurement; a partition without any for this long is stuck. */
    public LaneProgress(Duration stuckAfter) {
        this.stuckAfterMillis = stuckAfter.toMillis();
    }

    /**
     * Returns the backlogs after another measurement.
     *
     * @param waiting   unfinished items by partition, each 0 or more; copied
     * @param commits   latest commit of each partition; same length; not to be modified later
     * @param nowMillis of a monotonic clock, so a step of the clock is no stall
     */
    public PartitionBacklog next(long[] waiting, List<ProgressState> commits, long nowMillis) {
        if (lastProgress.length != waiting.length) {
            lastProgress = new ProgressState[waiting.length];
            progressCounts = new long[waiting.length];
        }
        for (int i = 0; i < waiting.length; i++) {
            if (lastProgress[i] == null || waiting[i] == 0 || ProgressCheck.isMade(lastProgress[i], commits.get(i))) {
                lastProgress[i] = commits.get(i);
                progressCounts[i]++;
            }
        }
        backlog = backlog.next(waiting, progressCounts, nowMillis, stuckAfterMillis);
        return backlog;
    }
}
