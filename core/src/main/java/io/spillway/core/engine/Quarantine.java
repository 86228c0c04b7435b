package io.spillway.core.engine;

import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.SuspectMark;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/**
 * Suspects: items that were, or may have been, running when the previous worker died. They run one at a time beside the
 * ordinary items, each after a commit that marks it.
 *
 * <p>Owner: the {@link WorkerEngine}. Bound: the unfinished items of the owned partitions.
 */
final class Quarantine<T extends EngineItem> {
    private final Queue<T> waiting = new ArrayDeque<>();
    private T marked;
    private SuspectMark mark;
    private boolean running;

    void add(T suspect) {
        waiting.add(suspect);
    }

    /**
     * Removes the next suspect to decide on, when none is marked. A suspect with counted deaths comes first: a death
     * while another suspect of its partition is marked would lose the count.
     */
    Optional<T> next() {
        if (marked != null || waiting.isEmpty()) {
            return Optional.empty();
        }
        Optional<T> counted = waiting.stream().filter(Quarantine::hasDeaths).findFirst();
        counted.ifPresent(waiting::remove);
        return counted.or(() -> Optional.ofNullable(waiting.poll()));
    }

    /** Marks a suspect; it runs after {@link #committed}. */
    void mark(T suspect, SuspectMark newMark) {
        marked = suspect;
        mark = newMark;
        running = false;
        suspect.partition().markDirty();
    }

    /** Returns the mark to commit with a partition. */
    Optional<SuspectMark> markOf(EnginePartition partition) {
        return marked != null && marked.partition() == partition ? Optional.of(mark) : Optional.empty();
    }

    /** Returns the marked suspect when this snapshot contains its mark: the caller must start it. */
    Optional<T> committed(EnginePartition partition, ProgressState snapshot) {
        if (marked == null || running || marked.partition() != partition
                || !snapshot.mark().equals(Optional.of(mark))) {
            return Optional.empty();
        }
        running = true;
        return Optional.of(marked);
    }

    /** Ends the attempt of the marked suspect: the next commit removes the mark. */
    void ended(T suspect) {
        if (marked == suspect) {
            marked = null;
            suspect.partition().markDirty();
        }
    }

    /** Removes the suspects of revoked partitions, except a running one. */
    void forgetLeaving() {
        waiting.removeIf(suspect -> suspect.partition().leaving);
        if (marked != null && marked.partition().leaving && !running) {
            marked = null;
        }
    }

    int size() {
        return waiting.size() + (marked == null ? 0 : 1);
    }

    private static boolean hasDeaths(EngineItem suspect) {
        return suspect.partition().progress.takenOverMark()
                .filter(taken -> taken.offset() == suspect.offset()).isPresent();
    }
}
