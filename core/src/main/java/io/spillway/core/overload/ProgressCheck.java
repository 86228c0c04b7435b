package io.spillway.core.overload;

import io.spillway.core.progress.ProgressState;

/** Whether the worker of a partition finishes anything, judged from what it commits and from nothing else. */
public final class ProgressCheck {
    private ProgressCheck() {}

    /**
     * Whether an item was surely finished, or moved on, between two commits.
     *
     * <p>It was when an offset that was unfinished is not any more. It also was when hardly any of what was read in between is
     * unfinished. Transaction markers are never unfinished, but each stands for one item or more of the same partition,
     * so they are half of the offsets at the most, and somewhat more in a short stretch, where those of items before it fall
     * into it: only with less than a quarter unfinished something must have been finished. So take the later commit
     * long after the earlier one: the longer the stretch, the surer the answer.
     *
     * @param before what was committed first, not null
     * @param now    what was committed then, not null
     */
    public static boolean isMade(ProgressState before, ProgressState now) {
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
