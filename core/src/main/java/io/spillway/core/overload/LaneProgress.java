package io.spillway.core.overload;

import io.spillway.core.progress.ProgressState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;

/**
 * Progress of one lane from one measurement to the next. A partition is stuck when it has had unfinished items for a
 * time and finished none. A consumer that hangs on some items still finishes others, so its partition is not stuck.
 *
 * <p>Owner: the thread that measures. Bound: one state for each partition.
 *
 * @param <S> what is measured of a partition, beside the items that wait
 */
public final class LaneProgress<S> {
    private final long stuckAfterMillis;
    private final BiPredicate<S, S> progress;
    private PartitionBacklog backlog = PartitionBacklog.UNKNOWN;
    /** Each partition's state at its last progress, and since when there are items and no progress. */
    private final List<S> last = new ArrayList<>();
    private long[] sinceMillis = {};

    /**
     * Creates the progress before the first measurement.
     *
     * @param stuckAfter a partition without any progress for this long is stuck, 1 ms or more
     * @param progress   whether an item finished between a state and a later one
     */
    public LaneProgress(Duration stuckAfter, BiPredicate<S, S> progress) {
        this.stuckAfterMillis = stuckAfter.toMillis();
        this.progress = progress;
    }

    /** Creates the progress by the workers' commits. */
    public static LaneProgress<ProgressState> ofCommits(Duration stuckAfter) {
        return new LaneProgress<>(stuckAfter, LaneProgress::isMade);
    }

    /**
     * Returns the backlogs after another measurement. When the number of partitions changes, all begin anew.
     *
     * @param waiting   unfinished items by partition, each 0 or more; copied
     * @param states    state of each partition; same length; not to be modified later
     * @param nowMillis of a monotonic clock, so a step of the clock is no stall
     */
    public PartitionBacklog next(long[] waiting, List<S> states, long nowMillis) {
        if (last.size() != waiting.length) {
            last.clear();
            last.addAll(states);
            sinceMillis = new long[waiting.length];
            backlog = PartitionBacklog.UNKNOWN;
        }
        boolean[] stuck = new boolean[waiting.length];
        for (int i = 0; i < waiting.length; i++) {
            boolean isMade = waiting[i] == 0 || progress.test(last.get(i), states.get(i));
            if (isMade) {
                last.set(i, states.get(i));
            }
            // A clock that was set back must not give a negative duration.
            sinceMillis[i] = isMade || backlog.waiting(i) == 0 ? nowMillis : Math.min(sinceMillis[i], nowMillis);
            stuck[i] = nowMillis - sinceMillis[i] >= stuckAfterMillis;
        }
        backlog = new PartitionBacklog(waiting.clone(), stuck);
        return backlog;
    }

    /**
     * Returns whether an item was certainly finished, or moved to another lane, between two commits.
     *
     * <p>That is so when an unfinished offset is no longer unfinished, or when few of the offsets read in between are
     * unfinished. Transaction markers are never unfinished, but each follows at least one item of its partition, so
     * they are at most about half of the offsets. Below a quarter unfinished, an item must have finished. A longer
     * interval gives a safer answer.
     */
    static boolean isMade(ProgressState before, ProgressState now) {
        for (int i = 0; i < before.unfinished().size(); i++) {
            long offset = before.unfinished().at(i);
            if (offset < now.readTo() && !now.unfinished().contains(offset)) {
                return true;
            }
        }
        long read = now.readTo() - before.readTo();
        long open = 0;
        for (int i = now.unfinished().size() - 1; i >= 0 && now.unfinished().at(i) >= before.readTo(); i--) {
            open++;
        }
        return open < read / 4;
    }
}
