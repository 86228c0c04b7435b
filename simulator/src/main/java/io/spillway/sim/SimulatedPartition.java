package io.spillway.sim;

import io.spillway.core.engine.EnginePartition;
import io.spillway.core.item.Lane;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressState;
import java.util.ArrayList;
import java.util.List;

/**
 * Partition of a lane: its log from the frontier on, and its state in the engine of the worker that owns it.
 *
 * <p>Owner: the model. Bound: the items from the frontier on.
 */
final class SimulatedPartition {
    final Lane lane;
    final int index;
    /** State in the current ownership; replaced at a takeover. */
    EnginePartition state;

    private SimulatedItem[] log = new SimulatedItem[64];
    private long base;
    private long end;
    private long position;
    private ProgressState committed = ProgressState.fresh(0);
    private long finished;

    SimulatedPartition(Lane lane, int index) {
        this.lane = lane;
        this.index = index;
        takeOver();
    }

    /** Starts a new ownership from the last commit. */
    void takeOver() {
        state = new EnginePartition(
                this, lane, new PartitionProgress(committed, end, PartitionProgress.DEFAULT_MAX_UNFINISHED));
        position = committed.frontier();
    }

    void append(SimulatedItem item) {
        if (end - base == log.length) {
            SimulatedItem[] longer = new SimulatedItem[2 * log.length];
            for (long offset = base; offset < end; offset++) {
                longer[(int) (offset & longer.length - 1)] = log[ringIndex(offset)];
            }
            log = longer;
        }
        item.currentPartition = this;
        item.offset = end;
        log[ringIndex(end++)] = item;
    }

    boolean hasUnread() {
        return position < end;
    }

    /** Returns the offset of the next {@link #read}. */
    long position() {
        return position;
    }

    void seek(long offset) {
        position = offset;
    }

    /** Reads the next records; returns the items of those that have not moved since to another partition. */
    List<SimulatedItem> read(int most) {
        List<SimulatedItem> items = new ArrayList<>();
        for (long to = Math.min(end, position + most); position < to; position++) {
            SimulatedItem item = log[ringIndex(position)];
            if (item.currentPartition == this && item.offset == position) {
                items.add(item);
            }
        }
        return items;
    }

    /** Counts an item that is finished in this partition. */
    void left() {
        finished++;
    }

    void committed(ProgressState snapshot) {
        committed = snapshot;
        while (base < snapshot.frontier()) {
            log[ringIndex(base++)] = null;
        }
    }

    /** Returns the unfinished items, read or not. */
    long waiting() {
        return end - position + state.unfinished();
    }

    long finished() {
        return finished;
    }

    private int ringIndex(long offset) {
        return (int) (offset & log.length - 1);
    }
}
