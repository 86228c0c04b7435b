package io.spillway.core.overload;

import io.spillway.core.progress.ProgressState;

/** Progress check of the worker of a partition, from its commits alone. */
final class ProgressCheck {
    private ProgressCheck() {}

    /**
     * Returns whether an item was certainly finished, or moved to another lane, between two commits.
     *
     * <p>That is so when an unfinished offset is no longer unfinished, or when few of the offsets read in between are
     * unfinished. Transaction markers are never unfinished, but each follows at least one item of its partition, so
     * they are at most about half of the offsets. Below a quarter unfinished, an item must have finished. A longer
     * interval gives a safer answer.
     */
    static boolean isMade(ProgressState before, ProgressState now) {
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
