package io.spillway.worker;

import io.spillway.core.engine.Step;
import io.spillway.core.engine.WorkerEngine;
import io.spillway.core.item.DropReason;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.retry.NextStep;
import io.spillway.handler.Outcome;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * State of the worker: owned partitions, waiting items, running attempts, and outcomes that are not yet committed.
 *
 * <p>One lock guards it. The poll thread adds records and assignments, the commit thread takes batches, and handler
 * threads add outcomes. Each thread that frees a slot or adds work also takes the next items, so that no slot waits for
 * another thread. No I/O happens under the lock.
 */
final class WorkerCore {
    private static final Predicate<Attempt> IS_LEAVING = attempt -> attempt.item.partition().isLeaving();

    private final InstantSource clock;
    private final ItemGate gate;
    private final WorkerEngine<LaneItem, Attempt> engine;
    private final Outbox outbox;
    private final IntSupplier limit;
    private final LongSupplier nanoClock;
    private final RandomGenerator random;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition attemptEnded = lock.newCondition();
    private final Condition commitWanted = lock.newCondition();
    private final Map<TopicPartition, OwnedPartition> owned = new HashMap<>();
    /** Lines for the log. Bound: the attempts, and the suspects of a takeover. */
    private List<String> notes = new ArrayList<>();
    private ConsumerGroupMetadata group;
    private boolean urgent;
    private boolean commitsStopped;
    private volatile boolean caughtUp;
    /** Whether no item can start early. */
    private volatile boolean isBusy;

    /** @param limit most attempts that may run now besides the slots' number; called under the lock */
    WorkerCore(
            ItemGate gate, WorkerEngine<LaneItem, Attempt> engine, Outbox outbox, IntSupplier limit,
            InstantSource clock, LongSupplier nanoClock, RandomGenerator random) {
        this.gate = gate;
        this.engine = engine;
        this.outbox = outbox;
        this.limit = limit;
        this.clock = clock;
        this.nanoClock = nanoClock;
        this.random = random;
    }

    // ---- the poll thread

    /** Adds partitions; none of their items starts before a first commit. */
    void assign(Collection<OwnedPartition> partitions) {
        locked(() -> partitions.forEach(partition -> owned.put(partition.partition, partition)));
    }

    /** Sets the group metadata that belongs to the current assignment. */
    void updateGroup(ConsumerGroupMetadata metadata) {
        locked(() -> group = metadata);
    }

    Set<TopicPartition> partitions() {
        return lockedGet(() -> Set.copyOf(owned.keySet()));
    }

    Optional<OwnedPartition> owned(TopicPartition partition) {
        return lockedGet(() -> Optional.ofNullable(owned.get(partition)));
    }

    /**
     * Adds the records of one poll and returns the attempts to run now. It is called after empty polls too, because
     * items can also start as time passes.
     */
    List<Attempt> receive(List<OwnedPartition.Polled> polled) {
        long nowMillis = clock.millis();
        List<List<LaneItem>> items = polled.stream().map(batch -> gate.readAll(batch, nowMillis)).toList();
        return lockedGet(() -> {
            List<Attempt> started = new ArrayList<>();
            for (int i = 0; i < polled.size(); i++) {
                OwnedPartition.Polled batch = polled.get(i);
                carryOut(engine.received(batch.partition(), items.get(i), batch.nextOffset(), nowMillis), started);
            }
            fillSlotsAndMakeRoom(nowMillis, nanoClock.getAsLong(), started);
            return started;
        });
    }

    /**
     * As {@link Worker#startEarly}; the attempts to run now may also be others.
     *
     * @param record returns the record with the offset -1; not called while there is no slot
     */
    List<Attempt> startEarly(TopicPartition partition, Supplier<ConsumerRecord<byte[], byte[]>> record) {
        if (isBusy) {
            return List.of();
        }
        long nowMillis = clock.millis();
        return lockedGet(() -> {
            List<Attempt> started = new ArrayList<>(1);
            OwnedPartition to = owned.get(partition);
            if (to != null && !commitsStopped && engine.mayStartEarly(to)) {
                carryOut(engine.startEarly(gate.read(to, record.get(), nowMillis), caughtUp, limit.getAsInt(),
                        nowMillis, nanoClock.getAsLong()), started);
            }
            return started;
        });
    }

    /** Lets no more items of partitions start early; returns whether some are not confirmed. */
    boolean stopEarly(Collection<TopicPartition> partitions) {
        return lockedGet(() -> partitions.stream().map(owned::get).filter(Objects::nonNull)
                .mapToInt(engine::stopEarly).sum() > 0);
    }

    /**
     * Returns the partitions to pause: those at their limit, those of a lane with a full read-ahead, or all while the
     * next transaction is full. A transaction too large for its timeout would be aborted at every retry.
     */
    Set<TopicPartition> paused() {
        return lockedGet(() -> {
            if (CommitBatch.isFull(owned.values())) {
                return Set.copyOf(owned.keySet());
            }
            return owned.values().stream()
                    .filter(partition -> !engine.mayRead(partition, PollThread.MAX_RECORDS))
                    .map(partition -> partition.partition)
                    .collect(Collectors.toSet());
        });
    }

    /** Returns what happened to items since the last call that an operator must know; the caller logs it. */
    List<String> takeNotes() {
        return lockedGet(() -> {
            List<String> taken = notes;
            notes = new ArrayList<>();
            return taken;
        });
    }

    /** Sets whether the hot and overflow lanes are caught up, over all workers. */
    void caughtUp(boolean isCaughtUp) {
        caughtUp = isCaughtUp;
    }

    /**
     * Begins to release partitions: forgets their waiting items and interrupts their attempts after the grace, or at
     * once if no result can be committed. Returns when none of them runs, or one second after the interrupt.
     */
    void leave(Collection<TopicPartition> partitions, long graceMillis) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            List<OwnedPartition> leaving = partitions.stream().map(owned::get).filter(Objects::nonNull).toList();
            engine.leave(leaving, nanoClock.getAsLong());
            if (commitsStopped || !awaitLeavingIdle(graceMillis)) {
                interruptLeaving();
                awaitLeavingIdle(TimeUnit.SECONDS.toMillis(1));
            }
            engine.drained(leaving);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the next batch, or one in flight, contains any of these partitions. */
    boolean hasToCommit(Collection<TopicPartition> partitions) {
        return lockedGet(() -> !commitsStopped && partitions.stream().map(owned::get).filter(Objects::nonNull)
                .anyMatch(partition -> partition.isInBatch || partition.isDirty()));
    }

    /** Removes partitions; their running attempts keep their slots, and the outcomes are ignored. */
    void forget(Collection<TopicPartition> partitions) {
        locked(() -> carryOut(engine.forget(partitions.stream().map(owned::remove).filter(Objects::nonNull).toList(),
                nanoClock.getAsLong()), new ArrayList<>()));
    }

    /** Records the end of an attempt and returns the attempts to run now. */
    List<Attempt> ended(Attempt attempt, Outcome result) {
        return lockedGet(() -> {
            long nowMillis = clock.millis();
            long nowNanos = nanoClock.getAsLong();
            List<Attempt> started = new ArrayList<>(1);
            carryOut(engine.ended(attempt, result, random, nowMillis, nowNanos), started);
            attemptEnded.signalAll();
            fillSlots(nowMillis, nowNanos, started);
            return started;
        });
    }

    /** Stops commits, because after an error this state may be wrong. The process ends and recovers as after a kill. */
    void stopCommits() {
        locked(() -> commitsStopped = true);
    }

    // ---- the commit thread

    /** Waits until the next commit is due, or {@link #wakeCommit} is called. */
    void awaitCommit(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            await(commitWanted, () -> urgent, nanos);
            urgent = false;
        } finally {
            lock.unlock();
        }
    }

    /** Lets {@link #awaitCommit} return at once. */
    void wakeCommit() {
        locked(this::wantCommit);
    }

    /** Returns a batch of all current outcomes. */
    CommitBatch batch() {
        return lockedGet(() -> CommitBatch.of(group,
                commitsStopped || group == null ? List.of() : owned.values(),
                partition -> partition.toCommit(engine.snapshot(partition), outbox.records()), clock.millis()));
    }

    /** Records that a batch is committed, and returns the attempts to run now. */
    List<Attempt> committed(CommitBatch batch) {
        return lockedGet(() -> {
            long nowMillis = clock.millis();
            long nowNanos = nanoClock.getAsLong();
            List<Attempt> started = new ArrayList<>();
            batch.parts().forEach((partition, part) -> {
                partition.committed(part.moves().size());
                carryOut(engine.committed(partition, part.state(), nowMillis, nowNanos), started);
            });
            fillSlotsAndMakeRoom(nowMillis, nowNanos, started);
            return started;
        });
    }

    /** Records that a batch failed: the next batch contains its parts again. */
    void notCommitted(CommitBatch batch) {
        locked(() -> batch.parts().keySet().forEach(OwnedPartition::notCommitted));
    }

    int inFlight() {
        return read(engine -> engine.attempts().size());
    }

    /** Returns the number of running attempts to which this applies. */
    int count(Predicate<Attempt> which) {
        return lockedGet(() -> (int) engine.attempts().stream().filter(which).count());
    }

    /** Returns what a function reads from the engine, under the lock: it must be fast and do no I/O. */
    <T> T read(Function<WorkerEngine<LaneItem, Attempt>, T> query) {
        return lockedGet(() -> query.apply(engine));
    }

    private void fillSlotsAndMakeRoom(long nowMillis, long nowNanos, List<Attempt> started) {
        fillSlots(nowMillis, nowNanos, started);
        carryOut(engine.makeRoom(nowMillis, nowNanos), started);
    }

    private void fillSlots(long nowMillis, long nowNanos, List<Attempt> started) {
        carryOut(engine.fillSlots(caughtUp, limit.getAsInt(), nowMillis, nowNanos), started);
        isBusy = engine.isBusy();
    }

    private void carryOut(List<Step<LaneItem, Attempt>> steps, List<Attempt> started) {
        for (Step<LaneItem, Attempt> step : steps) {
            switch (step) {
                case Step.Start(Attempt attempt) -> started.add(attempt);
                case Step.Done(LaneItem item) -> outbox.done(item);
                case Step.Drop(LaneItem item, DropReason reason) -> outbox.dropped(item, reason);
                case Step.Move(LaneItem item, Lane to, LaneReason reason, int moves, long dueMillis) ->
                        outbox.moved(item, to, reason, moves, dueMillis);
                case Step.Retry(Attempt attempt, NextStep.Delay next) -> outbox.retried(attempt, next);
                case Step.DeadLetter<LaneItem, Attempt> dead -> outbox.deadLettered(dead).ifPresent(notes::add);
                case Step.Commit() -> wantCommit();
                case Step.Abandon(Attempt attempt) -> attempt.interrupt(Attempt.Interruption.PARTITION_LEFT);
            }
        }
    }

    /** Interrupts the attempts that leave; one that calls {@code System.exit} leaves suspects. */
    private void interruptLeaving() {
        engine.attempts().stream().filter(IS_LEAVING).forEach(attempt -> {
            attempt.exitCaller().ifPresent(caller -> {
                attempt.item.partition().endsProcess();
                notes.add(HandlerFailures.describeExit(attempt, caller));
            });
            attempt.interrupt(Attempt.Interruption.PARTITION_LEFT);
        });
    }

    private void wantCommit() {
        urgent = true;
        commitWanted.signal();
    }

    private boolean awaitLeavingIdle(long millis) throws InterruptedException {
        return await(attemptEnded, () -> count(IS_LEAVING) == 0, TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private static boolean await(Condition signal, BooleanSupplier met, long nanos) throws InterruptedException {
        for (long leftNanos = nanos; !met.getAsBoolean(); leftNanos = signal.awaitNanos(leftNanos)) {
            if (leftNanos <= 0) {
                return false;
            }
        }
        return true;
    }

    private void locked(Runnable action) {
        lockedGet(() -> {
            action.run();
            return null;
        });
    }

    private <T> T lockedGet(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }
}
