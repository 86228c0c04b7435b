package io.spillway.core.progress;

import java.util.Optional;

/**
 * What a worker commits about one partition: which of its items are done, and which may be running.
 *
 * <p>Everything below the frontier is done. In [frontier, readTo) everything is done but what {@code unfinished} lists.
 * From readTo on nothing is known to be done: it will be read and run. Nothing at or above the horizon was started.
 *
 * @param frontier   the committed offset: the lowest unfinished one, or readTo when there is none; 0 or more
 * @param readTo     the next offset to be read by whoever takes over with nothing else to go by; frontier or more
 * @param horizon    unfinished and unread offsets below it are suspects when the partition changes hands. Of an owner
 *                   at work it is readTo or more; of one that gave up in an orderly way it is the frontier, or above
 *                   the last of the suspects that it took over itself and did not get to
 * @param unfinished the unfinished offsets in [frontier, readTo), the first of them the frontier; not null
 * @param mark       the suspect that is being run alone, an unfinished or unread offset below the horizon; in a clean
 *                   state one with deaths (1 or more) that are still to be answered for
 * @param clean      the owner gave the partition up in an orderly way: nothing is running
 * @param alone      the suspects that are left when this owner dies have seen a worker die before: they are to run alone
 */
public record ProgressState(
        long frontier,
        long readTo,
        long horizon,
        OffsetList unfinished,
        Optional<SuspectMark> mark,
        boolean clean,
        boolean alone) {

    public ProgressState {
        boolean ordered = 0 <= frontier && frontier <= readTo && frontier <= horizon && (clean || readTo <= horizon);
        boolean listed = unfinished.isEmpty()
                ? frontier == readTo
                : unfinished.first() == frontier && unfinished.last() < readTo;
        if (!ordered || !listed || mark.isPresent() && !canBeMarked(mark.get(), readTo, horizon, unfinished, clean)) {
            throw new IllegalArgumentException("no progress: frontier " + frontier + ", read to " + readTo + ", horizon "
                    + horizon + ", unfinished " + unfinished + ", " + mark + ", clean " + clean);
        }
    }

    private static boolean canBeMarked(SuspectMark mark, long readTo, long horizon, OffsetList unfinished, boolean clean) {
        boolean mayBeUnfinished = mark.offset() >= readTo || unfinished.contains(mark.offset());
        return mayBeUnfinished && mark.offset() < horizon && (!clean || mark.deaths() > 0);
    }

    /**
     * The state of a partition of which nothing is known but where to start: all from there on runs, nothing is suspect.
     *
     * @param offset where to start, 0 or more
     */
    public static ProgressState fresh(long offset) {
        return new ProgressState(offset, offset, offset, OffsetList.EMPTY, Optional.empty(), true, false);
    }
}
