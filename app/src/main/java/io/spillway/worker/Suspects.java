package io.spillway.worker;

import io.spillway.policy.Mark;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/**
 * Items that were, or might have been, in a handler when the worker before died. They run one at a time, each only
 * after a commit that marks it, beside the ordinary items. Belongs to whoever holds the lock of {@link WorkerCore}.
 *
 * <p>Bound: the unfinished items of the owned partitions.
 */
final class Suspects {
    private final Queue<LaneItem> waiting = new ArrayDeque<>();
    private LaneItem marked;
    private Mark mark;
    private boolean running;

    void add(LaneItem item) {
        waiting.add(item);
    }

    /**
     * The next to look at, when none is under way. One whose deaths are counted comes first: while another of its
     * partition is marked, a death would lose the count.
     */
    Optional<LaneItem> nextWhenFree() {
        if (marked != null || waiting.isEmpty()) {
            return Optional.empty();
        }
        Optional<LaneItem> counted = waiting.stream().filter(Suspects::hasDeaths).findFirst();
        counted.ifPresent(waiting::remove);
        return counted.or(() -> Optional.ofNullable(waiting.poll()));
    }

    private static boolean hasDeaths(LaneItem item) {
        return item.home().progress.takenOverMark().filter(taken -> taken.offset() == item.offset()).isPresent();
    }

    /** Marks an item; it runs after {@link #onCommitted}. */
    void mark(LaneItem item, Mark itsMark) {
        marked = item;
        mark = itsMark;
        running = false;
        item.home().dirty = true;
    }

    /** The mark to commit with a partition. */
    Optional<Mark> markOf(OwnedPartition home) {
        return marked != null && marked.home() == home ? Optional.of(mark) : Optional.empty();
    }

    /** The marked item, once its mark is committed; then it is to be run. */
    Optional<LaneItem> onCommitted(OwnedPartition home, Optional<Mark> committed) {
        if (marked == null || running || marked.home() != home || !committed.equals(Optional.of(mark))) {
            return Optional.empty();
        }
        running = true;
        return Optional.of(marked);
    }

    /** The marked item is over: the next commit takes the mark away. */
    void ended(LaneItem item) {
        if (marked == item) {
            marked = null;
            item.home().dirty = true;
        }
    }

    /** Forgets the items of partitions that are left. */
    void forgetLeaving() {
        waiting.removeIf(item -> item.home().leaving);
        if (marked != null && marked.home().leaving && !running) {
            marked = null;
        }
    }

    int size() {
        return waiting.size() + (marked == null ? 0 : 1);
    }
}
