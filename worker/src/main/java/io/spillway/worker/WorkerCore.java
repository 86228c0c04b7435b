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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
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
    private static final Predicate<Attempt> IS_LEAVING = run -> run.item.owned().isLeaving() && !run.isClaimed();

    private final InstantSource clock;
    private final ItemGate gate;
    private final WorkerEngine<LaneItem, Attempt> engine;
    private final Outbox outbox;
    private final ClaimedAttempts claims;
    private final Confirmation confirmation;
    private final IntSupplier limit;
    private final LongSupplier nanoClock;
    private final RandomGenerator random;
    private final Guard lock = new Guard();
    private final Condition attemptEnded = lock.newCondition();
    private final Guard.Signal commitWanted = lock.new Signal();
    private final StartTimer startTimer = new StartTimer(lock.new Signal());
    /** Those of the latest batches last. */
    private final SequencedMap<TopicPartition, OwnedPartition> owned = new LinkedHashMap<>();
    /** Lines for the log. Bound: the attempts, and the suspects of a takeover. */
    private List<String> notes = new ArrayList<>();
    private ConsumerGroupMetadata group;
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
        this.outbox = outbox.awaitedBy(commitWanted::raise);
        this.claims = new ClaimedAttempts(engine, outbox);
        this.confirmation = new Confirmation(() -> {
            owned.values().forEach(OwnedPartition::markDirty);
            commitWanted.raise();
        }, nanoClock.getAsLong());
        this.limit = limit;
        this.clock = clock;
        this.nanoClock = nanoClock;
        this.random = random;
    }

    // ---- the poll thread

    /** Adds partitions; none of their items starts before a first commit. */
    void assign(Collection<OwnedPartition> partitions) {
        lock.run(() -> partitions.forEach(partition -> owned.put(partition.partition, partition)));
    }

    /** Sets the group metadata that belongs to the current assignment. */
    void updateGroup(ConsumerGroupMetadata metadata) {
        lock.run(() -> group = metadata);
    }

    Set<TopicPartition> partitions() {
        return lock.get(() -> Set.copyOf(owned.keySet()));
    }

    Optional<OwnedPartition> owned(TopicPartition partition) {
        return lock.get(() -> Optional.ofNullable(owned.get(partition)));
    }

    /**
     * Adds the records of one poll and returns the attempts to run now. It is called after empty polls too, because
     * items can also start as time passes.
     */
    List<Attempt> receive(List<OwnedPartition.Polled> polled) {
        long nowMillis = clock.millis();
        List<List<LaneItem>> items = polled.stream().map(batch -> gate.readAll(batch, nowMillis)).toList();
        return lock.get(() -> {
            List<Attempt> started = new ArrayList<>();
            confirmation.polled(nanoClock.getAsLong());
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
        return lock.get(() -> {
            List<Attempt> started = new ArrayList<>(1);
            OwnedPartition to = owned.get(partition);
            boolean isSure = !commitsStopped && confirmation.isSure(nanoClock.getAsLong());
            if (to != null && isSure && engine.mayStartEarly(to)) {
                carryOut(engine.startEarly(gate.read(to, record.get(), nowMillis), caughtUp, limit.getAsInt(),
                        nowMillis, nanoClock.getAsLong()), started);
            }
            return started;
        });
    }

    /** Lets no more items of partitions start early; returns whether some are not confirmed. */
    boolean stopEarly(Collection<TopicPartition> partitions) {
        return lock.get(() -> partitions.stream().map(owned::get).filter(Objects::nonNull)
                .mapToInt(engine::stopEarly).sum() > 0);
    }

    /**
     * Returns the partitions to pause: those at their limit, those of a lane with a full read-ahead, or all while the
     * next transaction is full. A transaction too large for its timeout would be aborted at every retry.
     */
    Set<TopicPartition> paused() {
        return lock.get(() -> {
            if (CommitBatch.isFull(owned.values())) {
                return Set.copyOf(owned.keySet());
            }
            return owned.values().stream().filter(partition -> !engine.mayRead(partition, PollThread.MAX_RECORDS))
                    .map(partition -> partition.partition).collect(Collectors.toSet());
        });
    }

    /** Returns what happened to items since the last call that an operator must know; the caller logs it. */
    List<String> takeNotes() {
        return lock.get(() -> {
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
     * Begins to release partitions: forgets their waiting items, and after the grace claims those of their attempts. It
     * interrupts attempts that cannot be claimed, or all at once if nothing can be committed, and returns when none of
     * them runs, or one second after the interrupt.
     */
    void leave(Collection<TopicPartition> partitions, long graceMillis) throws InterruptedException {
        lock.runInterruptibly(() -> {
            List<OwnedPartition> leaving = partitions.stream().map(owned::get).filter(Objects::nonNull).toList();
            engine.leave(leaving, nanoClock.getAsLong());
            if (!commitsStopped && !awaitLeavingIdle(graceMillis)) {
                claims.interruptExiting(IS_LEAVING).forEach(notes::add);
                carryOut(engine.claims().ofLeaving(), new ArrayList<>());
            }
            if (count(IS_LEAVING) > 0) {
                claims.interrupt(IS_LEAVING);
                awaitLeavingIdle(TimeUnit.SECONDS.toMillis(1));
            }
            engine.drained(leaving);
        });
    }

    /**
     * Waits for the attempts that have outlived their partitions, at most for the grace, and not if no result can be
     * committed. Then it interrupts all attempts, and returns when none runs, or one second later.
     */
    void drain(long graceMillis) throws InterruptedException {
        lock.runInterruptibly(() -> claims.drain(
                attemptEnded, () -> !commitsStopped, nanoClock, TimeUnit.MILLISECONDS.toNanos(graceMillis)));
    }

    /** Returns whether there is something to tell about claimed items, in the next batch or in one in flight. */
    boolean hasNotices() {
        return lock.get(() -> !commitsStopped && claims.hasNotices());
    }

    /** Returns whether the next batch, or one in flight, contains any of these partitions. */
    boolean hasToCommit(Collection<TopicPartition> partitions) {
        return lock.get(() -> !commitsStopped && partitions.stream().map(owned::get).filter(Objects::nonNull)
                .anyMatch(partition -> partition.isInBatch || partition.isDirty()));
    }

    /** Removes partitions; their running attempts keep their slots, and the outcomes are ignored. */
    void forget(Collection<TopicPartition> partitions) {
        lock.run(() -> carryOut(engine.forget(partitions.stream().map(owned::remove).filter(Objects::nonNull).toList(),
                nanoClock.getAsLong()), new ArrayList<>()));
    }

    /** Records the end of an attempt, and of its riders with their results, and returns the attempts to run now. */
    List<Attempt> ended(Attempt attempt, Outcome result) {
        return lock.get(() -> {
            long nowMillis = clock.millis();
            long nowNanos = nanoClock.getAsLong();
            List<Attempt> started = new ArrayList<>(1);
            attempt.riders().forEach(rider ->
                    carryOut(engine.ended(rider, rider.result, random, nowMillis, nowNanos), started));
            carryOut(engine.ended(attempt, result, random, nowMillis, nowNanos), started);
            attemptEnded.signalAll();
            fillSlots(nowMillis, nowNanos, started);
            return started;
        });
    }

    /** Stops commits, because after an error this state may be wrong. The process ends and recovers as after a kill. */
    void stopCommits() {
        lock.run(() -> commitsStopped = true);
    }

    // ---- the pacing thread

    /** Waits until a rate lets the next item start, and returns the attempts to run now. */
    List<Attempt> awaitStart() throws InterruptedException {
        startTimer.await(nanoClock);
        List<Attempt> started = new ArrayList<>();
        lock.run(() -> fillSlots(clock.millis(), nanoClock.getAsLong(), started));
        return started;
    }

    // ---- the commit thread

    /** Waits until the next commit is due, or {@link #wakeCommit} is called. */
    void awaitCommit(long nanos) throws InterruptedException {
        commitWanted.await(nanos);
    }

    /** Lets {@link #awaitCommit} return at once. */
    void wakeCommit() {
        lock.run(commitWanted::raise);
    }

    /** Returns a batch of all current outcomes. */
    CommitBatch batch() {
        return lock.get(() -> {
            if (commitsStopped || group == null) {
                return CommitBatch.EMPTY;
            }
            confirmation.begins();
            carryOut(claims.renew(nanoClock.getAsLong()), new ArrayList<>());
            return CommitBatch.of(
                    group, owned, partition -> partition.toCommit(engine.snapshot(partition), outbox.records()),
                    parts -> claims.takeNotices(parts, at -> owned.get(at.partition) == at), clock.millis());
        });
    }

    /** Records that a batch is committed, and returns the attempts to run now. */
    List<Attempt> committed(CommitBatch batch) {
        return lock.get(() -> {
            long nowMillis = clock.millis();
            long nowNanos = nanoClock.getAsLong();
            List<Attempt> started = new ArrayList<>();
            confirmation.committed();
            batch.parts().forEach((partition, part) -> {
                partition.committed(part.moves().size());
                carryOut(engine.committed(partition, part.state(), nowMillis, nowNanos), started);
            });
            claims.committed(batch);
            fillSlotsAndMakeRoom(nowMillis, nowNanos, started);
            return started;
        });
    }

    /** Records that a batch failed: the next batch contains its parts again. */
    void notCommitted(CommitBatch batch) {
        lock.run(() -> {
            batch.parts().keySet().forEach(OwnedPartition::notCommitted);
            claims.notCommitted(batch);
        });
    }

    /** Returns the number of running attempts to which this applies. */
    int count(Predicate<Attempt> which) {
        return lock.get(() -> (int) engine.attempts().stream().filter(which).count());
    }

    /** Returns what a function reads from the engine, under the lock: it must be fast and do no I/O. */
    <T> T read(Function<WorkerEngine<LaneItem, Attempt>, T> query) {
        return lock.get(() -> query.apply(engine));
    }

    private void fillSlotsAndMakeRoom(long nowMillis, long nowNanos, List<Attempt> started) {
        fillSlots(nowMillis, nowNanos, started);
        carryOut(engine.makeRoom(nowMillis, nowNanos), started);
    }

    private void fillSlots(long nowMillis, long nowNanos, List<Attempt> started) {
        int most = confirmation.isSure(nowNanos) ? limit.getAsInt() : 0;
        carryOut(engine.fillSlots(caughtUp, most, nowMillis, nowNanos), started);
        isBusy = engine.isBusy();
        startTimer.set(engine.dispatch().nextStartNanos(), engine.attempts().size() < most);
    }

    private void carryOut(List<Step<LaneItem, Attempt>> steps, List<Attempt> started) {
        for (Step<LaneItem, Attempt> step : steps) {
            switch (step) {
                case Step.Start(Attempt attempt) -> started.add(attempt);
                case Step.Ride(Attempt lead, Attempt rider) -> lead.carry(rider);
                case Step.Done(Attempt attempt) -> outbox.done(attempt);
                case Step.Drop(LaneItem item, DropReason reason) -> outbox.dropped(item, reason);
                case Step.Move(LaneItem item, Lane to, LaneReason reason, int moves, long dueMillis) ->
                        outbox.moved(item, to, reason, moves, dueMillis);
                case Step.Retry(Attempt attempt, NextStep.Delay next) -> outbox.retried(attempt, next);
                case Step.DeadLetter<LaneItem, Attempt> dead -> outbox.deadLettered(dead).ifPresent(notes::add);
                case Step.Claim(Attempt attempt) -> claims.claim(attempt, nanoClock.getAsLong());
                case Step.Settle(Attempt attempt, NextStep next) -> claims.settle(attempt, next).ifPresent(notes::add);
                case Step.Commit() -> commitWanted.raise();
                case Step.Abandon(Attempt attempt) -> attempt.interrupt(Attempt.Interruption.PARTITION_LEFT);
            }
        }
    }

    private boolean awaitLeavingIdle(long millis) throws InterruptedException {
        return Guard.await(attemptEnded, () -> count(IS_LEAVING) == 0, TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
