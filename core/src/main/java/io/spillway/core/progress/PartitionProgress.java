package io.spillway.core.progress;

import java.util.Optional;

/**
 * Finished and unfinished items of one partition in one ownership. Items finish in any order; {@link #snapshot} returns
 * the state to commit at any time.
 *
 * <p>Not thread-safe. Owner: the holder of the worker's lock.
 *
 * <p>Bound: {@code maxUnfinished} and the records that {@link #isFull} was asked for before they were read. Every state
 * of so many fits the metadata. That matters, because {@link ProgressCodec} would shorten a longer list, and items that
 * were moved above the cut would be moved again.
 */
public final class PartitionProgress {
    /** Unfinished items at which a partition is paused. */
    public static final int DEFAULT_MAX_UNFINISHED = 1_500;

    private static final long NOTHING = Long.MIN_VALUE;

    private final ProgressState before;
    private final long suspectsBelow;
    private final boolean suspectsRunAlone;
    private final int maxUnfinished;
    private final UnfinishedSet unfinished = new UnfinishedSet();
    /** Index of the next taken-over unfinished offset to be delivered. */
    private int beforeIndex;
    private long position;
    private long committedHorizon;
    private long highestHorizon;
    private boolean givenUp;
    private Optional<SuspectMark> takenOverMark;
    private final long takenOverGroupEnd;

    /**
     * Takes over a partition. The consumer must be positioned at the state's frontier.
     *
     * @param before           last committed state, or {@link ProgressState#fresh}
     * @param logEndAtTakeover the partition's end offset, read after the previous owner lost it: records from there on
     *                         did not exist and are no suspects; {@link Long#MAX_VALUE} when it is unknown
     * @param maxUnfinished    1 to {@link ProgressCodec#MAX_UNFINISHED}
     */
    public PartitionProgress(ProgressState before, long logEndAtTakeover, int maxUnfinished) {
        if (maxUnfinished < 1 || maxUnfinished > ProgressCodec.MAX_UNFINISHED) {
            throw new IllegalArgumentException(
                    "maxUnfinished = " + maxUnfinished + ": must be 1 to " + ProgressCodec.MAX_UNFINISHED);
        }
        this.before = before;
        this.maxUnfinished = maxUnfinished;
        suspectsBelow = Math.min(before.horizon(), logEndAtTakeover);
        takenOverMark = before.mark().map(mark -> before.clean() ? mark : mark.afterDeath())
                .filter(mark -> mark.offset() < suspectsBelow);
        takenOverGroupEnd = Math.min(before.groupEnd(), suspectsBelow);
        suspectsRunAlone = before.alone() || takenOverMark.isPresent() || takenOverGroupEnd > 0;
        position = before.frontier();
        highestHorizon = before.horizon();
        committedHorizon = suspectsRunAlone ? before.horizon() : before.frontier();
    }

    /**
     * Adds a record that was polled, at or above the position. Skipped offsets (control records, aborted or deleted
     * ones) count as done.
     *
     * @return {@link ReadVerdict#FINISHED} when nothing is to be done; otherwise {@link #finished} must follow
     */
    public ReadVerdict delivered(long offset) {
        if (offset < position) {
            throw new IllegalArgumentException(
                    "offset " + offset + " after position " + position + ": must be the position or above");
        }
        pass(offset);
        position = offset + 1;
        if (offset < before.readTo() && !takeIfUnfinishedBefore(offset)) {
            return ReadVerdict.FINISHED;
        }
        unfinished.add(offset);
        return offset < suspectsBelow ? ReadVerdict.SUSPECT : ReadVerdict.RUN;
    }

    /**
     * Records the consumer's position after a poll, so that an exhausted partition commits its end. A lower position
     * than before has no effect.
     */
    public void positionedAt(long nextOffset) {
        if (nextOffset > position) {
            pass(nextOffset);
            position = nextOffset;
        }
    }

    /**
     * Records that a delivered item is done, or moved in the transaction of the next snapshot; throws
     * {@link IllegalStateException} when it is not unfinished.
     */
    public void finished(long offset) {
        if (!unfinished.remove(offset)) {
            throw new IllegalStateException("offset " + offset + " is not unfinished");
        }
        forgetMarkIn(offset, offset + 1);
    }

    /** Returns how many items are delivered and not finished. */
    public int unfinished() {
        return unfinished.size();
    }

    /** Returns whether the item at this offset was delivered and is not finished. */
    public boolean isUnfinished(long offset) {
        return unfinished.contains(offset);
    }

    /** As {@link #isFull(int)}, for records that are read one at a time. */
    public boolean isFull() {
        return isFull(1);
    }

    /**
     * Returns whether to pause this partition: {@code maxUnfinished} items are unfinished, or their list might not fit
     * the metadata after more records. What the previous owner had read is read in any case, see {@link #isCutAt}.
     *
     * @param records most records that are read before the next call, 1 to 900
     */
    public boolean isFull(int records) {
        return unfinished.size() >= maxUnfinished || position >= before.readTo() && !hasRoom(records);
    }

    /**
     * Returns whether a poll must end before this offset: it is the first one beyond what the previous owner had read,
     * and there is no room for the rest of the poll. The caller then continues with {@link #positionedAt} this offset,
     * and reads the records again when the partition is not full.
     *
     * @param records number of records from this offset on in the poll, 1 to 900
     */
    public boolean isCutAt(long offset, int records) {
        return position <= before.readTo() && offset >= before.readTo() && !hasRoom(records);
    }

    /**
     * Returns whether an item may start: it is below the last committed horizon, so that it becomes a suspect if it
     * kills the process. Unless suspects run alone, nothing may start before the first own commit: an item started on
     * the previous owner's state would be on probation again after each death, and could kill every owner.
     */
    public boolean mayStart(long offset) {
        return offset < committedHorizon;
    }

    /** Returns the offset of the next record to read. */
    public long position() {
        return position;
    }

    /** Returns whether the next item may start when it is read, and cannot have run when the previous owner died. */
    public boolean mayStartNext() {
        return mayStart(position) && position >= suspectsBelow;
    }

    /**
     * Returns the suspect that ran alone when the previous owner died, with that death counted, or that waited with
     * its deaths. Empty once it is finished, or was passed because it is no longer in the log.
     */
    public Optional<SuspectMark> takenOverMark() {
        return takenOverMark;
    }

    /** Returns whether the suspect at this offset ran, or may have run, in a group with which a worker died. */
    public boolean isAccused(long offset) {
        return offset < takenOverGroupEnd;
    }

    /**
     * Returns the state to commit now. A horizon never falls below an earlier one, since otherwise the commit of an
     * older snapshot could allow what a newer one denies. With {@code clean}, nothing may start until a snapshot
     * without it is committed; suspects that did not run are passed on.
     *
     * @param horizonAhead offsets above the last read one that may start before the next commit, 0 or more
     * @param clean        the partition is being revoked and nothing of it runs
     * @param runningAlone mark of the suspect that runs alone or is next, empty for none. While it is empty, a
     *                     taken-over mark is kept with its count. A mark of a finished item is left out
     * @param groupEnd     one above the last suspect of a group that runs or is next; 0 for none
     */
    public ProgressState snapshot(
            int horizonAhead, boolean clean, Optional<SuspectMark> runningAlone, long groupEnd) {
        OffsetList list = allUnfinished();
        long readTo = Math.max(position, before.readTo());
        long frontier = list.isEmpty() ? readTo : list.first();
        Optional<SuspectMark> mark = markToCommit(clean, runningAlone);
        givenUp = clean;
        if (clean) {
            committedHorizon = NOTHING;
            long suspectsEnd = Math.max(suspectsEnd(), mark.map(kept -> kept.offset() + 1).orElse(0L));
            long horizon = Math.max(frontier, suspectsEnd);
            return new ProgressState(frontier, readTo, horizon, list, mark,
                    endIn(frontier, horizon, takenOverGroupEnd), true, suspectsRunAlone && suspectsEnd > frontier);
        }
        long horizon = readTo > Long.MAX_VALUE - horizonAhead ? Long.MAX_VALUE : readTo + horizonAhead;
        highestHorizon = Math.max(highestHorizon, horizon);
        return new ProgressState(frontier, readTo, highestHorizon, list, mark,
                endIn(frontier, highestHorizon, Math.max(groupEnd, takenOverGroupEnd)), false,
                suspectsEnd() > frontier);
    }

    private static long endIn(long frontier, long horizon, long groupEnd) {
        return groupEnd <= frontier ? 0 : Math.min(groupEnd, horizon);
    }

    /** Records a durable commit of a snapshot: items below its horizon may start. */
    public void committed(ProgressState snapshot) {
        if (!snapshot.clean() && !givenUp) {
            committedHorizon = Math.max(committedHorizon, snapshot.horizon());
        }
    }

    private boolean takeIfUnfinishedBefore(long offset) {
        if (beforeIndex == before.unfinished().size() || before.unfinished().at(beforeIndex) != offset) {
            return false;
        }
        beforeIndex++;
        return true;
    }

    private void pass(long nextOffset) {
        while (beforeIndex < before.unfinished().size() && before.unfinished().at(beforeIndex) < nextOffset) {
            beforeIndex++;
        }
        forgetMarkIn(position, nextOffset);
    }

    private void forgetMarkIn(long from, long to) {
        if (takenOverMark.isPresent() && takenOverMark.get().offset() >= from && takenOverMark.get().offset() < to) {
            takenOverMark = Optional.empty();
        }
    }

    /**
     * Returns whether the metadata has room for more records. An unfinished item takes a byte, or two if it is 128 or
     * more offsets above the one before; three are reserved for each further record. An item that finishes never makes
     * the list longer, since one distance takes no more bytes than the two that it replaces.
     */
    private boolean hasRoom(int records) {
        int count = unfinished.size() + toCome();
        if (count == 0) {
            return true;
        }
        long first = unfinished.size() > 0 ? unfinished.first() : before.unfinished().at(beforeIndex);
        long last = toCome() > 0 ? before.unfinished().last() : position;
        long spareBytes = ProgressCodec.spareBytes(records);
        return OffsetGaps.mostBytes(count, last - first) <= spareBytes
                || OffsetGaps.bytes(allUnfinished()) <= spareBytes;
    }

    /** Returns how many unfinished offsets of the previous owner are still to be delivered. */
    private int toCome() {
        return before.unfinished().size() - beforeIndex;
    }

    /** Returns the unfinished delivered offsets, then the taken-over ones that are still to be delivered. */
    private OffsetList allUnfinished() {
        int own = unfinished.size();
        int toCome = toCome();
        long[] all = new long[own + toCome];
        unfinished.copyTo(all);
        for (int i = 0; i < toCome; i++) {
            all[own + i] = before.unfinished().at(beforeIndex + i);
        }
        return OffsetList.ofOwned(all);
    }

    private Optional<SuspectMark> markToCommit(boolean clean, Optional<SuspectMark> runningAlone) {
        Optional<SuspectMark> running = runningAlone.filter(mark -> unfinished.contains(mark.offset()));
        if (clean) {
            // Without counted deaths the horizon alone already makes it a suspect.
            return takenOverMark.or(() -> running.map(SuspectMark::stopped)).filter(mark -> mark.deaths() > 0);
        }
        // Its deaths are 1 or more; the next owner counts the last of them again.
        return running.or(() -> takenOverMark.map(SuspectMark::beforeDeath));
    }

    /** Returns one above the last suspect that is neither finished nor passed; 0 when there is none. */
    private long suspectsEnd() {
        return position < suspectsBelow ? suspectsBelow : unfinished.highestBelow(suspectsBelow) + 1;
    }
}
