package io.spillway.worker;

import io.spillway.policy.Lane;
import io.spillway.policy.ProgressState;
import io.spillway.policy.Reading;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
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
    private final Placing placing;
    private final WorkerMetrics metrics;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition attemptEnded = lock.newCondition();
    private final Condition commitWanted = lock.newCondition();
    private final Map<TopicPartition, OwnedPartition> owned = new HashMap<>();
    private ConsumerGroupMetadata group;
    private boolean urgent;
    private boolean broken;
    private volatile boolean caughtUp;

    WorkerCore(ItemGate gate, Placing placing, WorkerMetrics metrics, InstantSource clock) {
        this.gate = gate;
        this.placing = placing;
        this.metrics = metrics;
        this.clock = clock;
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
            Iterator<ItemGate.Read> read = reads.iterator();
            for (Polled each : polled) {
                for (ConsumerRecord<byte[], byte[]> record : each.records()) {
                    take(each.home(), record.offset(), read.next(), nowMillis);
                }
                if (!each.home().leaving) {
                    each.home().positionedAt(each.nextOffset());
                }
            }
            List<Attempt> attempts = next(nowMillis);
            placing.makeRoom(nowMillis);
            return attempts;
        });
    }

    /**
     * The partitions not to read from now: at their own bound, of a lane whose read-ahead is full, or all of them while
     * the next transaction has enough to carry. One that takes longer than its timeout would be aborted for ever.
     */
    Set<TopicPartition> paused() {
        return lockedGet(() -> {
            Set<TopicPartition> paused = new HashSet<>();
            int moves = owned.values().stream().mapToInt(each -> each.moves.size()).sum();
            long moveBytes = owned.values().stream().mapToLong(OwnedPartition::moveBytes).sum();
            if (moves >= MAX_MOVES || moveBytes >= MAX_MOVE_BYTES) {
                return Set.copyOf(owned.keySet());
            }
            for (OwnedPartition each : owned.values()) {
                if (each.leaving || each.progress.isFull() || placing.dispatch().isFull(each.lane)) {
                    paused.add(each.partition);
                }
            }
            return paused;
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
            List<OwnedPartition> homes = partitions.stream().map(owned::get).filter(home -> home != null).toList();
            homes.forEach(home -> {
                home.leaving = true;
                home.held.clear();
            });
            placing.forgetLeaving();
            if (!awaitLeavingIdle(graceMillis)) {
                placing.running().findProcessEnders();
                placing.running().interrupt(home -> home.leaving);
                awaitLeavingIdle(TimeUnit.SECONDS.toMillis(1));
            }
            homes.forEach(home -> {
                home.drained = true;
                home.dirty = true;
            });
        } finally {
            lock.unlock();
        }
    }

    /** Whether the next batch has something of these partitions. */
    boolean hasToCommit(Collection<TopicPartition> partitions) {
        return lockedGet(() -> !broken && partitions.stream().map(owned::get).anyMatch(home -> home != null && home.dirty));
    }

    /** Forgets partitions for good; whatever of them still runs no longer matters, but keeps its slot until it ends. */
    void forget(Collection<TopicPartition> partitions) {
        locked(() -> {
            for (TopicPartition partition : partitions) {
                OwnedPartition home = owned.remove(partition);
                if (home != null) {
                    home.leaving = true;
                    home.gone = true;
                    home.held.clear();
                }
            }
            placing.forgetLeaving();
            placing.running().abandon();
        });
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
            placing.ended(attempt, end, nowMillis);
            attemptEnded.signalAll();
            return next(nowMillis);
        });
    }

    /**
     * Commits nothing from here on: memory ran out, or the worker has a fault, and what is kept here may be wrong. The
     * process is to end; who takes over finds things as after a kill.
     */
    void broken() {
        locked(() -> broken = true);
    }

    /** Interrupts the attempts whose lease is over. */
    void endLeases() {
        locked(() -> metrics.leasesEnded(placing.running().interruptOverdue(clock.millis())));
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
            for (OwnedPartition each : owned.values()) {
                if (!broken && each.dirty && group != null && metadataCharacters < CommitThread.MAX_METADATA_CHARACTERS) {
                    ProgressState state = each.progress.snapshot(
                            each.horizonAhead(), each.isClean(), placing.suspects().markOf(each));
                    parts.put(each, new CommitBatch.Part(state, each.movesSoFar(), each.bookedSoFar()));
                    metadataCharacters += CommitThread.MAX_METADATA_OF_ONE;
                    each.dirty = false;
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
            List<Attempt> attempts = new ArrayList<>();
            batch.parts().forEach((home, part) -> {
                home.committed(part.moves().size());
                if (!home.leaving) {
                    home.progress.committed(part.state());
                    placing.startMarked(home, part.state().mark()).ifPresent(attempts::add);
                    placing.release(home, nowMillis);
                }
            });
            attempts.addAll(next(nowMillis));
            placing.makeRoom(nowMillis);
            return attempts;
        });
    }

    /** A batch was not committed: its parts are still to be. */
    void notCommitted(CommitBatch batch) {
        locked(() -> batch.parts().keySet().forEach(home -> home.dirty = true));
    }

    // ---- for metrics

    int inFlight() {
        return lockedGet(placing.running()::size);
    }

    int deaf() {
        return lockedGet(placing.running()::deaf);
    }

    int waiting(Lane lane) {
        return lockedGet(() -> placing.dispatch().waiting(lane));
    }

    int tenantsAtCap() {
        return lockedGet(placing.dispatch()::tenantsAtCap);
    }

    int suspects() {
        return lockedGet(placing.suspects()::size);
    }

    // ---- under the lock

    private void take(OwnedPartition home, long offset, ItemGate.Read read, long nowMillis) {
        if (home.leaving) {
            return;
        }
        Reading reading = home.progress.delivered(offset);
        if (reading != Reading.FINISHED) {
            home.readSinceSnapshot++;
            placing.take(home, read, offset, reading == Reading.SUSPECT, nowMillis);
        }
    }

    private List<Attempt> next(long nowMillis) {
        List<Attempt> attempts = placing.next(caughtUp, nowMillis);
        if (placing.takeWish()) {
            wantCommit();
        }
        return attempts;
    }

    private void wantCommit() {
        urgent = true;
        commitWanted.signal();
    }

    private boolean awaitLeavingIdle(long millis) throws InterruptedException {
        long leftNanos = TimeUnit.MILLISECONDS.toNanos(millis);
        while (placing.running().any(home -> home.leaving)) {
            if (leftNanos <= 0) {
                return false;
            }
            leftNanos = attemptEnded.awaitNanos(leftNanos);
        }
        return true;
    }

    private void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
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
