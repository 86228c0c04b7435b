package io.spillway.core.engine;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Items that started before the transaction that moves them to their lane was committed. Nothing follows from the end
 * of such an attempt until the committed record is read, so a transaction that is aborted leaves no trace: its items
 * come again. One that comes again as the same item at the same partition needs no second attempt.
 *
 * <p>Owner: the {@link WorkerEngine}. Bound: its read-ahead, of which they are a part. Those whose records do not come
 * are forgotten after {@link #KEPT_NANOS}.
 */
final class EarlyItems<T extends EngineItem, A extends EngineAttempt<T>> {
    /** As long as a transaction may be open by Kafka's default, so that later ones have certainly been aborted. */
    static final long KEPT_NANOS = 60_000_000_000L;

    /** While an item waits for its commit for so long, the lane cannot be read to its end: no more start early. */
    static final long STALLED_NANOS = 5_000_000_000L;

    /** By partition and identity, in the order of their starts. */
    private final Map<EnginePartition, Map<Object, Early<T, A>>> items = new HashMap<>();

    private static final class Early<T, A> {
        private final T item;
        private final A attempt;
        /** What the attempt has decided; null while it runs. */
        private Step<T, A> end;

        Early(T item, A attempt) {
            this.item = item;
            this.attempt = attempt;
        }
    }

    void started(T item, A attempt) {
        items.computeIfAbsent(item.partition(), absent -> new LinkedHashMap<>())
                .put(item.identity(), new Early<>(item, attempt));
    }

    int count(EnginePartition partition) {
        return items.getOrDefault(partition, Map.of()).size();
    }

    /** Returns whether an item of a partition has waited for its commit for too long. */
    boolean isStalled(EnginePartition partition, long nowNanos) {
        Map<Object, Early<T, A>> early = items.getOrDefault(partition, Map.of());
        return !early.isEmpty()
                && nowNanos - early.values().iterator().next().attempt.startedNanos > STALLED_NANOS;
    }

    /** Returns whether this item, or its committed record, has started early and is not confirmed. */
    boolean contains(T item) {
        return find(item).isPresent();
    }

    /** Keeps the end of an item that is not confirmed; returns whether it is one. */
    boolean keep(T item, Step<T, A> end) {
        Optional<Early<T, A>> early = find(item);
        early.ifPresent(one -> one.end = end);
        return early.isPresent();
    }

    /** Forgets an item whose attempt was interrupted: its record starts as any other. Returns whether it was here. */
    boolean giveBack(T item) {
        boolean isHere = contains(item);
        if (isHere) {
            items.get(item.partition()).remove(item.identity());
        }
        return isHere;
    }

    /** Confirms an item by its committed record, which takes its place; returns what its attempt has decided so far. */
    Optional<Step<T, A>> confirm(T committed) {
        Early<T, A> early = items.get(committed.partition()).remove(committed.identity());
        early.attempt.item = committed;
        return Optional.ofNullable(early.end).map(end -> of(committed, end));
    }

    /** Forgets items whose transactions must have been aborted, and passes them; their attempts have no effect. */
    void expire(long nowNanos, Consumer<T> expired) {
        items.values().forEach(early -> early.values().removeIf(one -> {
            boolean isOver = nowNanos - one.attempt.startedNanos > KEPT_NANOS;
            if (isOver) {
                forget(one);
                expired.accept(one.item);
            }
            return isOver;
        }));
    }

    /** Forgets the items of partitions that are revoked. They were not confirmed, so their attempts have no effect. */
    void forget(Collection<? extends EnginePartition> partitions) {
        for (EnginePartition partition : partitions) {
            items.getOrDefault(partition, Map.of()).values().forEach(EarlyItems::forget);
            items.remove(partition);
        }
    }

    /** Asks for the identity of an item, which may have to be made, only if there are early ones of its partition. */
    private Optional<Early<T, A>> find(T item) {
        Map<Object, Early<T, A>> early = items.get(item.partition());
        return early == null || early.isEmpty() ? Optional.empty() : Optional.ofNullable(early.get(item.identity()));
    }

    private static void forget(Early<?, ? extends EngineAttempt<?>> early) {
        early.attempt.isForgotten = true;
    }

    private static <T, A> Step<T, A> of(T item, Step<T, A> end) {
        return switch (end) {
            case Step.Drop<T, A> drop -> new Step.Drop<>(item, drop.reason());
            case Step.Move<T, A> move ->
                    new Step.Move<>(item, move.to(), move.reason(), move.moves(), move.dueMillis());
            case Step.DeadLetter<T, A> dead ->
                    new Step.DeadLetter<>(item, dead.attempt(), dead.why(), dead.attempts());
            // Their attempts have the committed record by now.
            case Step.Done<T, A> done -> done;
            case Step.Retry<T, A> retry -> retry;
            case Step.Start<T, A> start -> throw new IllegalStateException("no end: " + start);
            case Step.Ride<T, A> ride -> throw new IllegalStateException("no end: " + ride);
            case Step.Commit<T, A> commit -> throw new IllegalStateException("no end: " + commit);
            case Step.Abandon<T, A> abandon -> throw new IllegalStateException("no end: " + abandon);
            case Step.Claim<T, A> claim -> throw new IllegalStateException("no end: " + claim);
            case Step.Settle<T, A> settle -> throw new IllegalStateException("no end: " + settle);
        };
    }
}
