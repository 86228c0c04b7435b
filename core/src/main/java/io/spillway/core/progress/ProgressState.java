package io.spillway.core.progress;

import java.util.Optional;

/**
 * Committed state of one partition: which of its items are done, and which may be running.
 *
 * <p>Everything below the frontier is done. In [frontier, readTo) everything except {@code unfinished} is done. From
 * readTo on everything will be read and run. Nothing at or above the horizon was started.
 *
 * @param frontier   the committed offset: the lowest unfinished one, or readTo when there is none; 0 or more
 * @param readTo     next offset to read for an owner without other state; frontier or more
 * @param horizon    unfinished and unread offsets below it are suspects for the next owner. For an active owner it is
 *                   readTo or more. After a clean revocation it is the frontier, or above the last taken-over suspect
 *                   that did not run
 * @param unfinished the unfinished offsets in [frontier, readTo), the first of them the frontier; not null
 * @param mark       the suspect that runs alone, or waits with its deaths: an unfinished or unread offset below the
 *                   horizon; in a clean state only one with deaths (1 or more)
 * @param groupEnd   the next owner runs the suspects below it alone, because they are in a group, or were in one with
 *                   which a worker died. Above the frontier and at most the horizon; 0 for none
 * @param clean      the owner gave the partition up in an orderly way: nothing is running
 * @param alone      the suspects of this state have survived the death of a worker before: they must run alone
 */
public record ProgressState(
        long frontier, long readTo, long horizon, OffsetList unfinished, Optional<SuspectMark> mark, long groupEnd,
        boolean clean, boolean alone) {

    public ProgressState {
        boolean ordered = 0 <= frontier && frontier <= readTo && frontier <= horizon && (clean || readTo <= horizon);
        boolean listed = unfinished.isEmpty()
                ? frontier == readTo
                : unfinished.first() == frontier && unfinished.last() < readTo;
        boolean grouped = groupEnd == 0 || frontier < groupEnd && groupEnd <= horizon;
        boolean marked = mark.isEmpty() || canBeMarked(mark.get(), readTo, horizon, unfinished, clean);
        if (!ordered || !listed || !grouped || !marked) {
            throw new IllegalArgumentException("inconsistent progress: frontier " + frontier + ", read to " + readTo
                    + ", horizon " + horizon + ", unfinished " + unfinished + ", " + mark + ", groups to " + groupEnd
                    + ", clean " + clean);
        }
    }

    private static boolean canBeMarked(
            SuspectMark mark, long readTo, long horizon, OffsetList unfinished, boolean clean) {
        boolean mayBeUnfinished = mark.offset() >= readTo || unfinished.contains(mark.offset());
        return mayBeUnfinished && mark.offset() < horizon && (!clean || mark.deaths() > 0);
    }

    /** Returns the state of an unknown partition: everything from the offset on runs, and nothing is suspect. */
    public static ProgressState fresh(long offset) {
        return new ProgressState(offset, offset, offset, OffsetList.EMPTY, Optional.empty(), 0, true, false);
    }
}
