package io.spillway.sim;

import io.spillway.core.engine.EnginePartition;
import io.spillway.core.item.Lane;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressState;

/**
 * One partition of a lane: the log from its frontier on, and its state in the engine of the worker that owns it.
 *
 * <p>Owner: the model. Bound: the items from the frontier on.
 */
final class SimulatedPartition {
    final Lane lane;
    final int index;
    /** Of this ownership; another after a takeover. */
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

    /** Begins from what was committed last, as whoever gets the partition does. */
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
        item.home = this;
        item.offset = end;
        log[ringIndex(end++)] = item;
    }

    boolean hasUnread() {
        return position < end;
    }

    /** The offset that {@link #read} would read. */
    long position() {
        return position;
    }

    SimulatedItem read() {
        return log[ringIndex(position++)];
    }

    /** Counts an item that has left this partition. */
    void left() {
        finished++;
    }

    void committed(ProgressState snapshot) {
        committed = snapshot;
        while (base < snapshot.frontier()) {
            log[ringIndex(base++)] = null;
        }
    }

    /** Items not finished, read or not. */
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
