package io.spillway.core.engine;

import io.spillway.core.item.Lane;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.ReadVerdict;
import io.spillway.core.progress.SuspectMark;
import java.util.Optional;

/**
 * One partition of a lane in one ownership, from its assignment to its loss.
 *
 * <p>Not thread-safe. Owner: the owner of the {@link WorkerEngine}. Bound: that of {@link PartitionProgress}.
 */
public class EnginePartition {
    private static final int MIN_HORIZON_AHEAD = 128;
    /** The peak falls by a sixteenth at each snapshot, which halves it in ten. */
    private static final int HORIZON_FADE = 4;

    final Object id;
    final PartitionProgress progress;
    /** Whether it is being revoked. */
    boolean leaving;
    /** Whether none of its attempts runs, or the remaining ones ignore their interrupt. */
    boolean drained;
    /** Whether it has another owner now. */
    boolean gone;
    /** Whether none of its items starts before its record is committed. */
    boolean isStrict;
    /** Whether what was read last has items of other partitions. */
    boolean relocates;
    private final Lane lane;
    private boolean dirty = true;
    private boolean endsProcess;
    private long position = -1;
    private int readSinceSnapshot;
    private int peakRead;
    /** Size of its delivered and unfinished items; 0 once it is being revoked. */
    private long unfinishedBytes;

    /**
     * Takes over a partition. None of its items starts before the first commit.
     *
     * @param id       equal for the same partition in every ownership
     * @param lane     hot, overflow or aged
     * @param progress as taken over; the engine is its only user from now on
     */
    public EnginePartition(Object id, Lane lane, PartitionProgress progress) {
        this.id = id;
        this.lane = lane;
        this.progress = progress;
    }

    /** Returns its lane. */
    public final Lane lane() {
        return lane;
    }

    /** Returns whether it has uncommitted changes. */
    public final boolean isDirty() {
        return dirty;
    }

    /** Returns whether it is being revoked and not lost yet: none of its items starts, and those that run may end. */
    public final boolean isLeaving() {
        return leaving && !gone;
    }

    /** Returns the offset of the last {@link #positionedAt}; -1 before. */
    public final long position() {
        return position;
    }

    /** Returns the offset of the next record to read, also before the first {@link #positionedAt}. */
    public final long nextOffset() {
        return progress.position();
    }

    /** Returns how many items are delivered and not finished. */
    public final int unfinished() {
        return progress.unfinished();
    }

    /** Records that everything below this offset was polled. No effect once the partition is being revoked. */
    public final void positionedAt(long nextOffset) {
        if (!leaving && nextOffset != position) {
            position = nextOffset;
            progress.positionedAt(nextOffset);
            dirty = true;
        }
    }

    /** Lets no more of its items start before their records are committed, because it will be revoked. */
    public final void becomeStrict() {
        isStrict = true;
    }

    /** Makes another snapshot due, for example after a failed commit. */
    public final void markDirty() {
        dirty = true;
    }

    /** Returns how many workers died while the item at this offset ran alone; 0 when it is no suspect of this kind. */
    public final int deathsWith(long offset) {
        return progress.takenOverMark().filter(mark -> mark.offset() == offset)
                .map(SuspectMark::deaths).orElse(0);
    }

    /** Returns whether workers died while the item at this offset ran alone, or in a group. */
    final boolean isAccused(long offset) {
        return deathsWith(offset) > 0 || progress.isAccused(offset);
    }

    /**
     * Records that one of its attempts terminates this process. The next owner must then find suspects, since otherwise
     * the item would terminate every process in turn.
     */
    public final void endsProcess() {
        endsProcess = true;
    }

    @Override
    public final String toString() {
        return id.toString();
    }

    ReadVerdict delivered(long offset) {
        ReadVerdict verdict = progress.delivered(offset);
        if (verdict != ReadVerdict.FINISHED) {
            readSinceSnapshot++;
        }
        return verdict;
    }

    void finished(long offset) {
        progress.finished(offset);
        dirty = true;
    }

    /** Returns whether items may start before their records are committed. */
    boolean mayStartEarly() {
        return lane == Lane.HOT && !leaving && !isStrict && progress.mayStartNext();
    }

    long unfinishedBytes() {
        return unfinishedBytes;
    }

    void hold(int bytes) {
        unfinishedBytes += bytes;
    }

    /** Returns how much of an item's size was counted: all of it, or 0 once the partition is being revoked. */
    int release(int bytes) {
        int counted = leaving ? 0 : bytes;
        unfinishedBytes -= counted;
        return counted;
    }

    /** Stops counting sizes, because the partition is being revoked; returns what was counted. */
    long releaseAll() {
        long counted = unfinishedBytes;
        unfinishedBytes = 0;
        return counted;
    }

    ProgressState snapshot(Optional<SuspectMark> runningAlone, long groupEnd) {
        dirty = false;
        return progress.snapshot(horizonAhead(), drained && !endsProcess, runningAlone, groupEnd);
    }

    /**
     * Returns how many offsets above the last read one may start after this snapshot. A small number delays items until
     * the next commit, a large one creates more suspects in a crash. A poll returns thousands of items of one partition
     * and then of another, so the number follows the recent peak between two snapshots.
     */
    private int horizonAhead() {
        peakRead = Math.max(readSinceSnapshot, peakRead - (peakRead >> HORIZON_FADE));
        readSinceSnapshot = 0;
        return Math.max(MIN_HORIZON_AHEAD, 2 * peakRead);
    }
}
