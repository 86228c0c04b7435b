package io.spillway.sim;

import io.spillway.policy.Lane;
import io.spillway.policy.Mark;
import io.spillway.policy.PartitionProgress;
import io.spillway.policy.ProgressState;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/**
 * One partition of a lane: the log from its frontier on, and what its worker knows of it, as the worker's own
 * {@code OwnedPartition} keeps it.
 *
 * <p>Owner: the model. Bound: the items from the frontier on.
 */
final class LanePartition {
    /** As in the worker: too little holds items back for a commit, too much makes more suspects of a crash. */
    private static final int MIN_HORIZON_AHEAD = 128;
    private static final int HORIZON_FADE = 4;

    final Lane lane;
    final int index;
    PartitionProgress progress;
    /** Items above the committed horizon, which may not start yet. */
    final Queue<Item> held = new ArrayDeque<>();
    boolean dirty;

    private Item[] log = new Item[64];
    private long base;
    private long end;
    private long position;
    private ProgressState committed = ProgressState.fresh(0);
    private long finished;
    private int readSinceSnapshot;
    private int mostRead;

    LanePartition(Lane lane, int index) {
        this.lane = lane;
        this.index = index;
        takeOver();
    }

    /** Begins from what was committed last, as whoever gets the partition does. */
    void takeOver() {
        progress = new PartitionProgress(committed, end, PartitionProgress.DEFAULT_MAX_UNFINISHED);
        position = committed.frontier();
        held.clear();
        dirty = true;
    }

    void append(Item item) {
        if (end - base == log.length) {
            Item[] longer = new Item[2 * log.length];
            for (long offset = base; offset < end; offset++) {
                longer[(int) (offset & longer.length - 1)] = log[place(offset)];
            }
            log = longer;
        }
        item.home = this;
        item.offset = end;
        log[place(end++)] = item;
    }

    boolean hasUnread() {
        return position < end;
    }

    /** The offset that {@link #read} would read. */
    long position() {
        return position;
    }

    Item read() {
        readSinceSnapshot++;
        dirty = true;
        return log[place(position++)];
    }

    /** An item of it is over here. */
    void settle(Item item) {
        progress.finished(item.offset);
        finished++;
        dirty = true;
    }

    /** What to commit. */
    ProgressState snapshot(Optional<Mark> runningAlone) {
        mostRead = Math.max(readSinceSnapshot, mostRead - (mostRead >> HORIZON_FADE));
        readSinceSnapshot = 0;
        dirty = false;
        return progress.snapshot(Math.max(MIN_HORIZON_AHEAD, 2 * mostRead), false, runningAlone);
    }

    void committed(ProgressState state) {
        progress.committed(state);
        committed = state;
        while (base < state.frontier()) {
            log[place(base++)] = null;
        }
    }

    /** Items not finished, read or not. */
    long waiting() {
        return end - position + progress.unfinished();
    }

    long finished() {
        return finished;
    }

    private int place(long offset) {
        return (int) (offset & log.length - 1);
    }
}
