package io.spillway.core.engine;

import io.spillway.core.item.Lane;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.ReadVerdict;
import io.spillway.core.progress.SuspectMark;
import java.util.Optional;

/**
 * One partition of a lane from its assignment to its loss: progress, horizon, and whether it is being given up. A
 * partition that comes back later is another object.
 *
 * <p>Not thread-safe. Owner: the owner of the {@link WorkerEngine}. Bound: that of {@link PartitionProgress}.
 */
public final class EnginePartition {
    private static final int MIN_HORIZON_AHEAD = 128;
    /** A sixteenth at each snapshot: half of it in ten. */
    private static final int HORIZON_FADE = 4;

    final Object id;
    final PartitionProgress progress;
    /** Whether it is being given up. */
    boolean leaving;
    /** Whether nothing of it runs any more, or what does ignores its interrupt. */
    boolean drained;
    /** Whether it belongs to another owner now. */
    boolean gone;
    private final Lane lane;
    private boolean dirty = true;
    private boolean killing;
    private long position = -1;
    private int readSinceSnapshot;
    private int mostRead;

    /**
     * Takes over a partition; none of its items starts before the first commit.
     *
     * @param id       equal for the same partition in every ownership, not null
     * @param lane     hot, overflow or aged
     * @param progress as taken over, not null; the engine is its only user from here on
     */
    public EnginePartition(Object id, Lane lane, PartitionProgress progress) {
        this.id = id;
        this.lane = lane;
        this.progress = progress;
    }

    /** The lane that it is a partition of. */
    public Lane lane() {
        return lane;
    }

    /** Whether there is something to commit. */
    public boolean isDirty() {
        return dirty;
    }

    /** Whether it is being given up: none of its items starts any more. */
    public boolean isLeaving() {
        return leaving;
    }

    /** Items delivered and not finished. */
    public int unfinished() {
        return progress.unfinished();
    }

    /** Records that everything below this offset has been polled. No effect once the partition is being given up. */
    public void positionedAt(long nextOffset) {
        if (!leaving && nextOffset != position) {
            position = nextOffset;
            progress.positionedAt(nextOffset);
            dirty = true;
        }
    }

    /** Makes another snapshot due, for example since the last one was not committed. */
    public void markDirty() {
        dirty = true;
    }

    /**
     * Records that one of its attempts is ending this process: the next owner must find suspects in it, or the item
     * would end every process in turn.
     */
    public void endsProcess() {
        killing = true;
    }

    @Override
    public String toString() {
        return id.toString();
    }

    // ---- for the engine

    ReadVerdict delivered(long offset) {
        ReadVerdict reading = progress.delivered(offset);
        if (reading != ReadVerdict.FINISHED) {
            readSinceSnapshot++;
        }
        return reading;
    }

    void finished(long offset) {
        progress.finished(offset);
        dirty = true;
    }

    ProgressState snapshot(Optional<SuspectMark> runningAlone) {
        dirty = false;
        return progress.snapshot(horizonAhead(), drained && !killing, runningAlone);
    }

    /**
     * Returns how far the horizon of a snapshot that is taken now is above what was read: too little delays items until
     * the next commit, too much makes more suspects of a crash. A poll brings one partition's items by the thousand and
     * then another's, so what counts is the most that was read between two snapshots lately.
     */
    private int horizonAhead() {
        mostRead = Math.max(readSinceSnapshot, mostRead - (mostRead >> HORIZON_FADE));
        readSinceSnapshot = 0;
        return Math.max(MIN_HORIZON_AHEAD, 2 * mostRead);
    }
}
