package io.spillway.core.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Running attempts, including those of lost partitions.
 *
 * <p>Owner: the {@link WorkerEngine}. Bound: the slots, their riders, one suspect, and one item behind each attempt
 * that outlived its partition.
 */
final class RunningAttempts<T extends EngineItem, A extends EngineAttempt<T>> {
    /** In no order; each stores its index. */
    private final List<A> attempts = new ArrayList<>();
    private final List<A> view = Collections.unmodifiableList(attempts);
    /** Records of lost partitions that are still attempted. Only these can be read a second time. */
    private final Set<Position> abandoned = new HashSet<>();
    private final Map<Position, T> behind = new HashMap<>();
    private int riders;
    private long busyNanos;
    private long countedToNanos;

    /** An item in a partition, in any ownership; one that started early has no offset. */
    private record Position(Object partition, Object item) {
        static Position of(EngineItem item) {
            return new Position(item.partition().id, item.identity());
        }
    }

    List<A> all() {
        return view;
    }

    /** Returns the sum of the times for which calls ran. */
    long busyNanos(long nowNanos) {
        busyNanos += (attempts.size() - riders) * Math.max(0, nowNanos - countedToNanos);
        countedToNanos = nowNanos;
        return busyNanos;
    }

    void add(A attempt, long nowNanos) {
        busyNanos(nowNanos);
        riders += attempt.isRider() ? 1 : 0;
        attempt.runningIndex = attempts.size();
        attempts.add(attempt);
    }

    /**
     * Makes an item wait for an attempt of the same record that began before its partition was lost and came back, if
     * there is one: one process never runs two attempts of one item at once. Returns whether it waits.
     */
    boolean waitBehind(T item) {
        if (abandoned.isEmpty()) {
            return false;
        }
        Position position = Position.of(item);
        if (!abandoned.contains(position)) {
            return false;
        }
        behind.put(position, item);
        return true;
    }

    /** Removes an attempt that has ended, and returns the item that waited for its end. */
    Optional<T> remove(A attempt, long nowNanos) {
        busyNanos(nowNanos);
        riders -= attempt.isRider() ? 1 : 0;
        A last = attempts.removeLast();
        if (last != attempt) {
            attempts.set(attempt.runningIndex, last);
            last.runningIndex = attempt.runningIndex;
        }
        if (!attempt.item.partition().gone) {
            return Optional.empty();
        }
        Position position = Position.of(attempt.item);
        abandoned.remove(position);
        return Optional.ofNullable(behind.remove(position)).filter(item -> !item.partition().leaving);
    }

    void forgetLeaving() {
        behind.values().removeIf(item -> item.partition().leaving);
    }

    /** Returns whether an attempt of a tenant runs. */
    boolean hasTenant(String tenant) {
        return attempts.stream().anyMatch(attempt -> attempt.item.tenant().equals(tenant));
    }

    /** Returns the attempts that ignore their interrupt for too long, until they are given up. */
    List<A> stuck(long nowNanos) {
        return attempts.stream().filter(attempt -> attempt.isStuck(nowNanos)).toList();
    }

    /** Takes the items that wait for attempts which have been given up. */
    List<T> takeBehindGivenUp() {
        if (behind.isEmpty()) {
            return List.of();
        }
        return attempts.stream().filter(attempt -> attempt.isGivenUp() && attempt.item.partition().gone)
                .map(attempt -> Optional.ofNullable(behind.remove(Position.of(attempt.item))))
                .flatMap(Optional::stream).toList();
    }

    /** Records which attempts belong to lost partitions, without a claim that holds, and so end now. */
    void abandon(long nowNanos, List<Step<T, A>> steps) {
        for (A attempt : attempts) {
            if (attempt.item.partition().gone && !attempt.isClaimHeld()) {
                abandoned.add(Position.of(attempt.item));
                attempt.leaseEnded(nowNanos);
                steps.add(new Step.Abandon<>(attempt));
            }
        }
    }
}
