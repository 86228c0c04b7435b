package io.spillway.core.engine;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Predicate;

/**
 * Suspects of one partition that run beside each other: so many run alone if the worker dies.
 *
 * <p>Owner: the {@link Quarantine}. Bound: {@value #SIZE} suspects.
 */
final class SuspectGroup<T extends EngineItem> {
    static final int SIZE = 16;

    /** All that are not done, with their attempts. */
    final Map<T, Optional<EngineAttempt<T>>> members = new IdentityHashMap<>();
    /** Those that wait for a commit. */
    final Queue<T> unmarked = new ArrayDeque<>();

    boolean isRunning() {
        return members.values().stream().anyMatch(Optional::isPresent);
    }

    /** Takes suspects that may join, half of the size at a time, because each addition takes a commit. */
    boolean extend(Collection<T> waiting, Predicate<T> joins, Predicate<T> isReady) {
        int before = members.size();
        if (before > SIZE / 2) {
            return false;
        }
        for (Iterator<T> suspects = waiting.iterator(); suspects.hasNext() && members.size() < SIZE;) {
            T suspect = suspects.next();
            if (joins.test(suspect)) {
                suspects.remove();
                if (isReady.test(suspect)) {
                    members.put(suspect, Optional.empty());
                    unmarked.add(suspect);
                }
            }
        }
        return members.size() > before;
    }

    /** Returns one above the last unfinished member, to commit; 0 if there is none. */
    long end(EnginePartition partition) {
        return members.keySet().stream().mapToLong(EngineItem::offset).filter(partition.progress::isUnfinished)
                .map(offset -> offset + 1).max().orElse(0);
    }

    /** Removes those that wait for the commit of this end, and returns them. */
    List<T> takeMarked(long end) {
        List<T> marked = unmarked.stream().filter(member -> member.offset() < end).toList();
        unmarked.removeAll(marked);
        return marked;
    }

    /** Removes the members that are done, have moved or ignore their interrupt; returns whether none is left. */
    boolean forgetDone(EnginePartition partition, long nowNanos) {
        members.entrySet().removeIf(member -> !partition.progress.isUnfinished(member.getKey().offset())
                || member.getValue().filter(attempt -> attempt.isDeaf(nowNanos)).isPresent());
        return members.isEmpty();
    }
}
