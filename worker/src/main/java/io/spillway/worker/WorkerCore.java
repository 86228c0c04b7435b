package io.spillway.worker;

import io.spillway.core.engine.EnginePartition;
import io.spillway.core.engine.WorkerEngine;
import io.spillway.core.item.Lane;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
 * All that the worker knows: which partitions it owns, what waits, what runs, what is finished and not yet committed.
 *
 * <p>One lock owns all of it. Three kinds of threads come in: the poll thread with records and assignments, the commit
 * thread for batches, and handler threads with outcomes; whoever makes a slot free or brings work takes the next items
 * on its way out, so no slot waits for another thread. No I/O happens under the lock.
 */
final class WorkerCore {
    /** Of one transaction, about: a second's worth on a small machine. */
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
    private boolean broken;
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

    /** Takes partitions on; nothing of them starts before a first commit. */
    void assign(Collection<OwnedPartition> partitions) {
        locked(() -> partitions.forEach(each -> owned.put(each.partition, each)));
    }

    /** Takes note of the group as it is now, together with what is owned now. */
    void seen(ConsumerGroupMetadata metadata) {
        locked(() -> group = metadata);
    }

    Set<TopicPartition> partitions() {
        return lockedGet(() -> Set.copyOf(owned.keySet()));
    }

    Optional<OwnedPartition> owned(TopicPartition partition) {
        return lockedGet(() -> Optional.ofNullable(owned.get(partition)));
    }

    /**
     * Takes in what one poll brought, maybe nothing: it is called often all the same, since time alone lets items start.
     *
     * @return attempts to run now
     */
    List<Attempt> receive(List<Polled> polled) {
        long nowMillis = clock.millis();
        List<ItemGate.Read> reads = new ArrayList<>();
        polled.forEach(each -> each.records().forEach(record -> reads.add(gate.read(each.home(), record, nowMillis))));
        return lockedGet(() -> {
            long nowNanos = nanoClock.getAsLong();
            Iterator<ItemGate.Read> read = reads.iterator();
            for (Polled each : polled) {
                for (ConsumerRecord<byte[], byte[]> record : each.records()) {
                    take(each.home(), record.offset(), read.next(), nowMillis, nowNanos);
                }
                each.home().state.positionedAt(each.nextOffset());
            }
            return fillSlotsAndMakeRoom(nowMillis, nowNanos);
        });
    }

    /**
     * The partitions not to read from now: at their own bound, of a lane whose read-ahead is full, or all of them while
     * the next transaction has enough to carry. One that takes longer than its timeout would be aborted for ever.
     */
    Set<TopicPartition> paused() {
        return lockedGet(() -> {
            int moves = owned.values().stream().mapToInt(each -> each.moves.size()).sum();
            long moveBytes = owned.values().stream().mapToLong(OwnedPartition::moveBytes).sum();
            if (moves >= MAX_MOVES || moveBytes >= MAX_MOVE_BYTES) {
                return Set.copyOf(owned.keySet());
            }
            return owned.values().stream()
                    .filter(each -> !engine.mayRead(each.state)).map(each -> each.partition)
                    .collect(Collectors.toSet());
        });
    }

    /** Whether the live lanes are caught up, over all workers. */
    void caughtUp(boolean isCaughtUp) {
        caughtUp = isCaughtUp;
    }

    // ---- giving partitions up, on the poll thread

    /**
     * Begins to give partitions up: what waits is forgotten, what runs may end within the grace, then it is interrupted.
     * Returns when nothing of them runs any more, or a second after the interrupt.
     */
    void leave(Collection<TopicPartition> partitions, long graceMillis) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            List<EnginePartition> states = states(partitions, owned::get);
            engine.leave(states, nanoClock.getAsLong());
            if (!awaitLeavingIdle(graceMillis)) {
                interruptLeaving();
                awaitLeavingIdle(TimeUnit.SECONDS.toMillis(1));
            }
            engine.drained(states);
        } finally {
            lock.unlock();
        }
    }

    /** Whether the next batch has something of these partitions. */
    boolean hasToCommit(Collection<TopicPartition> partitions) {
        return lockedGet(() -> !broken && states(partitions, owned::get).stream().anyMatch(EnginePartition::isDirty));
    }

    /** Forgets partitions for good; whatever of them still runs no longer matters, but keeps its slot until it ends. */
    void forget(Collection<TopicPartition> partitions) {
        locked(() -> engine.forget(states(partitions, owned::remove), nanoClock.getAsLong()));
    }

    // ---- handler threads

    /**
     * An attempt is over.
     *
     * @return attempts to run now
     */
    List<Attempt> ended(Attempt attempt, AttemptEnd end) {
        return lockedGet(() -> {
            long nowMillis = clock.millis();
            long nowNanos = nanoClock.getAsLong();
            engine.ended(attempt, end.result(), random, nowMillis, nowNanos);
            attemptEnded.signalAll();
            return fillSlots(nowMillis, nowNanos);
        });
    }

    /**
     * Commits nothing from here on: memory ran out, or the worker has a fault, and what is kept here may be wrong. The
     * process is to end; who takes over finds things as after a kill.
     */
    void broken() {
        locked(() -> broken = true);
    }

    /** Interrupts the attempts whose lease is over, and returns how many those are. */
    int endLeases() {
        long nowMillis = clock.millis();
        return lockedGet(() -> count(attempt -> attempt.interruptIfOverdue(nowMillis)));
    }

    // ---- the commit thread

    /** Waits until the next commit is due, or somebody cannot wait for it. */
    void awaitCommit(long millis) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long leftNanos = TimeUnit.MILLISECONDS.toNanos(millis);
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

    /** What there is to commit now. */
    CommitBatch batch() {
        return lockedGet(() -> {
            Map<OwnedPartition, CommitBatch.Part> parts = new LinkedHashMap<>();
            int metadataCharacters = 0;
            boolean mayCommit = !broken && group != null;
            for (OwnedPartition each : owned.values()) {
                if (mayCommit && each.state.isDirty() && metadataCharacters < CommitThread.MAX_METADATA_CHARACTERS) {
                    parts.put(each, new CommitBatch.Part(
                            engine.snapshot(each.state), each.movesSoFar(), each.bookedSoFar()));
                    metadataCharacters += CommitThread.MAX_METADATA_OF_ONE;
                }
            }
            return new CommitBatch(group, parts, clock.millis());
        });
    }

    /**
     * A batch is committed: what waited for it may go on.
     *
     * @return attempts to run now
     */
    List<Attempt> committed(CommitBatch batch) {
        return lockedGet(() -> {
            long nowMillis = clock.millis();
            long nowNanos = nanoClock.getAsLong();
            batch.parts().forEach((home, part) -> {
                home.committed(part.moves().size());
                engine.committed(home.state, part.state(), nowMillis, nowNanos);
            });
            return fillSlotsAndMakeRoom(nowMillis, nowNanos);
        });
    }

    /** A batch was not committed: its parts are still to be. */
    void notCommitted(CommitBatch batch) {
        locked(() -> batch.parts().keySet().forEach(home -> home.state.markDirty()));
    }

    // ---- for metrics

    int inFlight() {
        return lockedGet(engine.attempts()::size);
    }

    int deaf() {
        return lockedGet(() -> count(Attempt::isInterrupted));
    }

    int waiting(Lane lane) {
        return lockedGet(() -> engine.waiting(lane));
    }

    int tenantsAtCap() {
        return lockedGet(engine::tenantsAtCap);
    }

    int suspects() {
        return lockedGet(engine::suspects);
    }

    // ---- under the lock

    private static List<EnginePartition> states(
            Collection<TopicPartition> partitions, Function<TopicPartition, OwnedPartition> find) {
        return partitions.stream().map(find).filter(home -> home != null).map(home -> home.state).toList();
    }

    private void take(OwnedPartition home, long offset, ItemGate.Read read, long nowMillis, long nowNanos) {
        switch (read) {
            case ItemGate.Read.Item(LaneItem item) -> engine.arrived(home.state, offset, item, nowMillis, nowNanos);
            case ItemGate.Read.Bad bad -> {
                if (engine.arrivedUnreadable(home.state, offset)) {
                    effects.unreadable(home, bad, nowMillis);
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

    /** Interrupts the attempts of partitions that are being given up; one that ends this process leaves suspects. */
    private void interruptLeaving() {
        List<Attempt> leaving = engine.attempts().stream()
                .filter(attempt -> attempt.item.partition().isLeaving()).toList();
        leaving.stream().filter(Attempt::endsProcess).forEach(attempt -> attempt.item.partition().endsProcess());
        leaving.forEach(attempt -> attempt.interrupt(Attempt.Interruption.PARTITION_LEFT));
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
