package io.spillway.kafka.topics;

import io.spillway.core.overload.PartitionBacklog;
import io.spillway.core.overload.ProgressCheck;
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
     * @param measured  one for each partition
     * @param nowMillis of a monotonic clock, so a step of the clock is no stall
     */
    public PartitionBacklog next(List<QueueProgress> measured, long nowMillis) {
        if (lastProgress.length != measured.size()) {
            lastProgress = new ProgressState[measured.size()];
            progressCounts = new long[measured.size()];
        }
        long[] waiting = new long[measured.size()];
        for (int i = 0; i < waiting.length; i++) {
            QueueProgress now = measured.get(i);
            waiting[i] = now.waiting();
            if (lastProgress[i] == null || waiting[i] == 0
                    || ProgressCheck.isMade(lastProgress[i], now.progress())) {
                lastProgress[i] = now.progress();
                progressCounts[i]++;
            }
        }
        backlog = backlog.next(waiting, progressCounts, nowMillis, stuckAfterMillis);
        return backlog;
    }
}
