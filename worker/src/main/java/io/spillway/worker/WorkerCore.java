package io.spillway.worker;

import io.spillway.core.engine.EnginePartition;
import io.spillway.core.engine.WorkerEngine;
import io.spillway.core.item.Lane;
import io.spillway.core.retry.AttemptResult;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
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
    /** Approximate limit of one transaction: the moves of one second on a small machine. */
    private static final int MAX_MOVES = 50_000;
    private static final long MAX_MOVE_BYTES = 16L << 20;

    private final InstantSource clock;
    private final ItemGate gate;
    private final WorkerEngine<LaneItem, Attempt> engine;
    private final WorkerEffects effects;
    private final LongSupplier nanoClock;
    private final RandomGenerator random;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition attemptEnded = lock.newCondition();
    private final Condition commitWanted = lock.newCondition();
    private final Map<TopicPartition, OwnedPartition> owned = new HashMap<>();
    private ConsumerGroupMetadata group;
    private boolean urgent;
    private boolean commitsStopped;
    private volatile boolean caughtUp;

    WorkerCore(
            ItemGate gate, WorkerEngine<LaneItem, Attempt> engine, WorkerEffects effects, InstantSource clock,
            LongSupplier nanoClock, RandomGenerator random) {
        this.gate = gate;
        this.engine = engine;
        this.effects = effects;
        this.clock = clock;
        this.nanoClock = nanoClock;
        this.random = random;
    }

    // ---- the poll thread

    /** Adds partitions; none of their items starts before a first commit. */
    void assign(Collection<OwnedPartition> partitions) {
        locked(() -> partitions.forEach(each -> owned.put(each.partition, each)));
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
        List<ItemGate.Read> reads = new ArrayList<>();
        polled.forEach(each -> each.records().forEach(
                record -> reads.add(gate.read(each.partition(), record, nowMillis))));
        return lockedGet(() -> {
            long nowNanos = nanoClock.getAsLong();
            var read = reads.iterator();
            for (OwnedPartition.Polled each : polled) {
                long position = each.position(engine);
                for (ConsumerRecord<byte[], byte[]> record : each.records()) {
                    ItemGate.Read next = read.next();
                    if (record.offset() < position) {
                        add(each.partition(), record.offset(), next, nowMillis, nowNanos);
                    }
                }
                each.partition().state.positionedAt(position);
            }
            return fillSlotsAndMakeRoom(nowMillis, nowNanos);
        });
    }

    /**
     * Returns the partitions to pause: those at their limit, those of a lane with a full read-ahead, or all while the
     * next transaction is full. A transaction too large for its timeout would be aborted at every retry.
     */
    Set<TopicPartition> paused() {
        return lockedGet(() -> {
            int moves = owned.values().stream().mapToInt(each -> each.moves.size()).sum();
            long moveBytes = owned.values().stream().mapToLong(OwnedPartition::moveBytes).sum();
            if (moves >= MAX_MOVES || moveBytes >= MAX_MOVE_BYTES) {
                return Set.copyOf(owned.keySet());
            }
            return owned.values().stream()
                    .filter(each -> !engine.mayRead(each.state, PollThread.MAX_RECORDS)).map(each -> each.partition)
                    .collect(Collectors.toSet());
        });
    }

    /** Returns what happened to items since the last call that an operator must know; the caller logs it. */
    List<String> takeNotes() {
        return lockedGet(effects::takeNotes);
    }

    /** Sets whether the hot and overflow lanes are caught up, over all workers. */
    void caughtUp(boolean isCaughtUp) {
        caughtUp = isCaughtUp;
    }

    // ---- release of partitions, on the poll thread

    /**
     * Begins to release partitions: forgets their waiting items and interrupts their attempts after the grace, or at
     * once if no result can be committed. Returns when none of them runs, or one second after the interrupt.
     */
    void leave(Collection<TopicPartition> partitions, long graceMillis) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            List<EnginePartition> states = states(partitions, owned::get);
            engine.leave(states, nanoClock.getAsLong());
            if (commitsStopped || !awaitLeavingIdle(graceMillis)) {
                interruptLeaving();
                awaitLeavingIdle(TimeUnit.SECONDS.toMillis(1));
            }
            engine.drained(states);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the next batch, or one in flight, contains any of these partitions. */
    boolean hasToCommit(Collection<TopicPartition> partitions) {
        return lockedGet(() -> !commitsStopped && partitions.stream().map(owned::get).filter(Objects::nonNull)
                .anyMatch(each -> each.isInBatch || each.state.isDirty()));
    }

    /** Removes partitions; their running attempts keep their slots, and the outcomes are ignored. */
    void forget(Collection<TopicPartition> partitions) {
        locked(() -> engine.forget(states(partitions, owned::remove), nanoClock.getAsLong()));
    }

    // ---- handler threads

    /** Records the end of an attempt and returns the attempts to run now. */
    List<Attempt> ended(Attempt attempt, AttemptResult result) {
        return lockedGet(() -> {
            long nowMillis = clock.millis();
            long nowNanos = nanoClock.getAsLong();
            engine.ended(attempt, result, random, nowMillis, nowNanos);
            attemptEnded.signalAll();
            return fillSlots(nowMillis, nowNanos);
        });
    }

    /** Stops commits, because after an error this state may be wrong. The process ends and recovers as after a kill. */
    void stopCommits() {
        locked(() -> commitsStopped = true);
    }

    /** Interrupts the attempts whose lease has ended, and returns their number. */
    int endLeases() {
        return lockedGet(() -> count(attempt -> attempt.interruptIfOverdue(nanoClock.getAsLong())));
    }

    /** Returns the number of attempts that still run although their items have ended without them. */
    int givenUp() {
        return lockedGet(() -> count(Attempt::isGivenUp));
    }

    // ---- the commit thread

    /** Waits until the next commit is due, or {@link #wakeCommit} is called. */
    void awaitCommit(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long leftNanos = nanos;
            while (!urgent && leftNanos > 0) {
                leftNanos = commitWanted.awaitNanos(leftNanos);
            }
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
        return lockedGet(() -> {
            Map<OwnedPartition, CommitBatch.Part> parts = new LinkedHashMap<>();
            int metadataCharacters = 0;
            boolean mayCommit = !commitsStopped && group != null;
            for (OwnedPartition each : owned.values()) {
                if (mayCommit && each.state.isDirty() && metadataCharacters < CommitThread.MAX_METADATA_CHARACTERS) {
                    parts.put(each, effects.part(each, engine.snapshot(each.state)));
                    each.isInBatch = true;
                    metadataCharacters += CommitThread.MAX_METADATA_CHARACTERS_PER_PARTITION;
                }
            }
            return new CommitBatch(group, parts, clock.millis());
        });
    }

    /** Records that a batch is committed, and returns the attempts to run now. */
    List<Attempt> committed(CommitBatch batch) {
        return lockedGet(() -> {
            long nowMillis = clock.millis();
            long nowNanos = nanoClock.getAsLong();
            batch.parts().forEach((partition, part) -> {
                partition.committed(part.moves().size());
                engine.committed(partition.state, part.state(), nowMillis, nowNanos);
            });
            return fillSlotsAndMakeRoom(nowMillis, nowNanos);
        });
    }

    /** Records that a batch failed: the next batch contains its parts again. */
    void notCommitted(CommitBatch batch) {
        locked(() -> batch.parts().keySet().forEach(OwnedPartition::notCommitted));
    }

    // ---- for metrics

    int inFlight() {
        return lockedGet(engine.attempts()::size);
    }

    /** Returns the number of attempts that still run after their interrupt. */
    int interrupted() {
        return lockedGet(() -> count(Attempt::isInterrupted));
    }

    int waiting(Lane lane) {
        return lockedGet(() -> engine.waiting(lane));
    }

    /** Returns what a function reads from the engine, under the lock: it must be fast and do no I/O. */
    <T> T read(Function<WorkerEngine<LaneItem, Attempt>, T> query) {
        return lockedGet(() -> query.apply(engine));
    }

    // ---- under the lock

    private static List<EnginePartition> states(
            Collection<TopicPartition> partitions, Function<TopicPartition, OwnedPartition> find) {
        return partitions.stream().map(find).filter(Objects::nonNull).map(partition -> partition.state).toList();
    }

    private void add(OwnedPartition partition, long offset, ItemGate.Read read, long nowMillis, long nowNanos) {
        switch (read) {
            case ItemGate.Read.Item(LaneItem item) ->
                engine.arrived(partition.state, offset, item, nowMillis, nowNanos);
            case ItemGate.Read.Bad bad -> {
                if (engine.arrivedUnreadable(partition.state, offset)) {
                    effects.unreadable(partition, bad, nowMillis);
                }
            }
        }
    }

    private List<Attempt> fillSlots(long nowMillis, long nowNanos) {
        engine.fillSlots(caughtUp, nowMillis, nowNanos);
        if (effects.takeCommitWanted()) {
            wantCommit();
        }
        return effects.takeStarted();
    }

    private int count(Predicate<Attempt> which) {
        return (int) engine.attempts().stream().filter(which).count();
    }

    private List<Attempt> fillSlotsAndMakeRoom(long nowMillis, long nowNanos) {
        List<Attempt> attempts = fillSlots(nowMillis, nowNanos);
        engine.makeRoom(nowMillis, nowNanos);
        return attempts;
    }

    private void interruptLeaving() {
        engine.attempts().stream().filter(attempt -> attempt.item.partition().isLeaving()).forEach(effects::interrupt);
    }

    private void wantCommit() {
        urgent = true;
        commitWanted.signal();
    }

    private boolean awaitLeavingIdle(long millis) throws InterruptedException {
        long leftNanos = TimeUnit.MILLISECONDS.toNanos(millis);
        while (engine.hasLeavingAttempts()) {
            if (leftNanos <= 0) {
                return false;
            }
            leftNanos = attemptEnded.awaitNanos(leftNanos);
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
