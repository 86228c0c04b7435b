package io.spillway.core.progress;

import java.util.Optional;

/**
 * What is done and what is not in one partition, from the moment it is assigned until it is given up or lost. Items
 * finish in any order; {@link #snapshot} says at any time what to commit.
 *
 * <p>Not thread-safe. Owner: whoever holds the worker's lock.
 *
 * <p>Bound: {@code maxUnfinished}, see {@link #isFull}. Records that were polled already are taken beyond it, so memory is
 * bounded by it and one poll; then the partition has to be paused. When even the list for the metadata would be too
 * long, {@link ProgressCodec} cuts it safely.
 */
public final class PartitionProgress {
    /** Unfinished items at which a partition is paused: up to 2 bytes each, they fit the metadata. */
    public static final int DEFAULT_MAX_UNFINISHED = 1_500;

    private static final long NOTHING = Long.MIN_VALUE;

    private final ProgressState before;
    private final long suspectsBelow;
    private final boolean suspectsRunAlone;
    private final int maxUnfinished;
    private final UnfinishedSet unfinished = new UnfinishedSet();
    /** The first of the taken-over unfinished offsets that is not passed yet. */
    private int beforeIndex;
    private long position;
    private long committedHorizon;
    private long highestHorizon;
    private boolean givenUp;
    private Optional<SuspectMark> takenOverMark;

    /**
     * Takes over a partition. The consumer is to be positioned at the state's frontier.
     *
     * @param before           what was committed last, or {@link ProgressState#fresh}; not null
     * @param logEndAtTakeover the partition's end offset read after the owner before had lost it: what is at or above it
     *                         did not exist then and is not suspect; {@link Long#MAX_VALUE} when it is not known
     * @param maxUnfinished    1 to {@link ProgressCodec#MAX_UNFINISHED}
     * @throws IllegalArgumentException when the bound is out of range
     */
    public PartitionProgress(ProgressState before, long logEndAtTakeover, int maxUnfinished) {
        if (maxUnfinished < 1 || maxUnfinished > ProgressCodec.MAX_UNFINISHED) {
            throw new IllegalArgumentException(
                    "maxUnfinished = " + maxUnfinished + ": must be 1 to " + ProgressCodec.MAX_UNFINISHED);
        }
        this.before = before;
        this.maxUnfinished = maxUnfinished;
        suspectsBelow = Math.min(before.horizon(), logEndAtTakeover);
        takenOverMark = SuspectRules.markAtTakeover(before).filter(mark -> mark.offset() < suspectsBelow);
        suspectsRunAlone = before.alone() || takenOverMark.isPresent();
        position = before.frontier();
        highestHorizon = before.horizon();
        committedHorizon = suspectsRunAlone ? before.horizon() : before.frontier();
    }

    /**
     * Takes a record that was polled. Offsets that never come between those that do (control records, aborted or
     * deleted ones) are thereby passed and count as done.
     *
     * @param offset above all delivered before
     * @return for {@link ReadVerdict#FINISHED} nothing is to be done; otherwise {@link #finished} has to follow some time
     * @throws IllegalArgumentException when the offset was passed before
     */
    public ReadVerdict delivered(long offset) {
        if (offset < position) {
            throw new IllegalArgumentException("offset " + offset + " after position " + position);
        }
        pass(offset);
        position = offset + 1;
        if (offset < before.readTo() && !takeIfUnfinishedBefore(offset)) {
            return ReadVerdict.FINISHED;
        }
        unfinished.add(offset);
        if (offset >= suspectsBelow) {
            return ReadVerdict.RUN;
        }
        return suspectsRunAlone ? ReadVerdict.SUSPECT : ReadVerdict.PROBATION;
    }

    /**
     * Says where the consumer stands after a poll, so that a partition that has nothing more commits its end.
     *
     * @param nextOffset the consumer's position; one below what was delivered changes nothing
     */
    public void positionedAt(long nextOffset) {
        if (nextOffset > position) {
            pass(nextOffset);
            position = nextOffset;
        }
    }

    /**
     * An item is done, or moved on in the transaction that will commit the next snapshot.
     *
     * @param offset one that was delivered to be run
     * @throws IllegalStateException when it is not unfinished
     */
    public void finished(long offset) {
        if (!unfinished.remove(offset)) {
            throw new IllegalStateException("offset " + offset + " is not unfinished");
        }
        forgetMarkBelow(offset, offset + 1);
    }

    /** Items delivered and not finished. */
    public int unfinished() {
        return unfinished.size();
    }

    /**
     * Whether to stop reading this partition for now: {@code maxUnfinished} items are unfinished, or they lie so far
     * apart that more might not fit the metadata (1,480 of them over 190,000 offsets, or 1,000 over 15 million).
     */
    public boolean isFull() {
        int count = unfinished.size();
        return count >= maxUnfinished
                || count > 0 && !ProgressCodec.surelyFits(count + 1, position - unfinished.first());
    }

    /**
     * Whether an item may be started: it is below the horizon that was last committed, so that it will be a suspect if
     * it kills the process. Unless suspects are to run alone, nothing may start before the first commit of our own: what
     * was started on the state before, and killed us, would be nobody's suspect or on probation again, and kill for ever.
     */
    public boolean mayStart(long offset) {
        return offset < committedHorizon;
    }

    /**
     * The suspect that was marked when the owner before died, with its deaths, this last one counted; or that a clean
     * owner handed on. Empty once it is finished, or was passed because it is no longer there.
     */
    public Optional<SuspectMark> takenOverMark() {
        return takenOverMark;
    }

    /**
     * What to commit now. A horizon never falls below one that was handed out before, or the commit of an older
     * snapshot could allow what the commit of a younger one denies. With {@code clean}, nothing may start from here on
     * until a snapshot without it is committed; suspects that were not got to are handed on as such.
     *
     * @param horizonAhead offsets above what was read that may be started before the next commit, 0 or more
     * @param clean        the partition is given up and nothing of it runs any more
     * @param runningAlone the mark of the suspect that runs alone or is about to, empty when none does. While it is
     *                     empty a mark that was taken over is kept, so that a death meanwhile neither adds to its count
     *                     nor loses it. A mark of an item that is finished is left out
     */
    public ProgressState snapshot(int horizonAhead, boolean clean, Optional<SuspectMark> runningAlone) {
        OffsetList list = allUnfinished();
        long readTo = Math.max(position, before.readTo());
        long frontier = list.isEmpty() ? readTo : list.first();
        Optional<SuspectMark> mark = markToCommit(clean, runningAlone);
        givenUp = clean;
        if (clean) {
            committedHorizon = NOTHING;
            long suspectsEnd = Math.max(suspectsEnd(), mark.map(kept -> kept.offset() + 1).orElse(0L));
            return new ProgressState(frontier, readTo, Math.max(frontier, suspectsEnd), list, mark, true,
                    suspectsRunAlone && suspectsEnd > frontier);
        }
        long wanted = readTo > Long.MAX_VALUE - horizonAhead ? Long.MAX_VALUE : readTo + horizonAhead;
        highestHorizon = Math.max(highestHorizon, wanted);
        return new ProgressState(frontier, readTo, highestHorizon, list, mark, false, suspectsEnd() > frontier);
    }

    /**
     * A snapshot is durably committed: what is below its horizon may start.
     *
     * @param snapshot one of this partition, not null
     */
    public void committed(ProgressState snapshot) {
        if (!snapshot.clean() && !givenUp) {
            committedHorizon = Math.max(committedHorizon, snapshot.horizon());
        }
    }

    private boolean takeIfUnfinishedBefore(long offset) {
        boolean isUnfinished = beforeIndex < before.unfinished().size() && before.unfinished().at(beforeIndex) == offset;
        if (isUnfinished) {
            beforeIndex++;
        }
        return isUnfinished;
    }

    /** Nothing in [position, nextOffset) will come. */
    private void pass(long nextOffset) {
        while (beforeIndex < before.unfinished().size() && before.unfinished().at(beforeIndex) < nextOffset) {
            beforeIndex++;
        }
        forgetMarkBelow(position, nextOffset);
    }

    private void forgetMarkBelow(long from, long to) {
        if (takenOverMark.isPresent() && takenOverMark.get().offset() >= from && takenOverMark.get().offset() < to) {
            takenOverMark = Optional.empty();
        }
    }

    /** Those delivered, then those taken over that are still to be delivered. */
    private OffsetList allUnfinished() {
        int own = unfinished.size();
        int toCome = before.unfinished().size() - beforeIndex;
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
            // Without deaths to count a mark says no more than the horizon does: a suspect.
            return running.or(() -> takenOverMark).filter(mark -> mark.deaths() > 0);
        }
        // Its deaths are 1 or more; whoever takes over from us will count the last of them again.
        return running.or(() -> takenOverMark.map(mark -> new SuspectMark(mark.offset(), mark.deaths() - 1)));
    }

    /** One above the last suspect that is neither finished nor passed; 0 when there is none. */
    private long suspectsEnd() {
        return position < suspectsBelow ? suspectsBelow : unfinished.highestBelow(suspectsBelow) + 1;
    }
}
