package io.spillway.sim;

import io.spillway.policy.Mark;
import io.spillway.policy.ProgressState;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/**
 * Items that were, or might have been, in a handler when workers died before, in the order in which the worker's own
 * {@code Suspects} takes them: one at a time, each marked by a commit first.
 *
 * <p>Owner: one worker. Bound: the unfinished items of its partitions.
 */
final class SimSuspects {
    private final Queue<Item> waiting = new ArrayDeque<>();
    private Item marked;
    private Mark mark;
    private boolean running;

    void add(Item item) {
        waiting.add(item);
    }

    /** The next to look at, when none is under way; one whose deaths are counted comes first. */
    Optional<Item> nextWhenFree() {
        if (marked != null || waiting.isEmpty()) {
            return Optional.empty();
        }
        Optional<Item> counted = waiting.stream().filter(SimSuspects::hasDeaths).findFirst();
        counted.ifPresent(waiting::remove);
        return counted.or(() -> Optional.ofNullable(waiting.poll()));
    }

    void mark(Item item, Mark itsMark) {
        marked = item;
        mark = itsMark;
        running = false;
        item.home.dirty = true;
    }

    Optional<Mark> markOf(LanePartition home) {
        return marked != null && marked.home == home ? Optional.of(mark) : Optional.empty();
    }

    /** The marked item, once its mark is committed; then it is to be run. */
    Optional<Item> onCommitted(LanePartition home, ProgressState committed) {
        if (marked == null || running || marked.home != home || !committed.mark().equals(Optional.of(mark))) {
            return Optional.empty();
        }
        running = true;
        return Optional.of(marked);
    }

    void ended(Item item) {
        if (marked == item) {
            marked = null;
            item.home.dirty = true;
        }
    }

    private static boolean hasDeaths(Item item) {
        return item.home.progress.takenOverMark().filter(taken -> taken.offset() == item.offset).isPresent();
    }
}
