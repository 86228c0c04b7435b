package io.spillway.worker;

import io.spillway.config.WorkerSettings;
import io.spillway.policy.Excess;
import io.spillway.policy.FairDispatch;
import io.spillway.policy.Lane;
import io.spillway.policy.LaneReason;
import io.spillway.policy.ProgressState;
import io.spillway.policy.Reading;
import io.spillway.policy.Route;
import io.spillway.policy.Start;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * All that the worker knows: which partitions it owns, what waits, what runs, what is finished and not yet committed.
 *
 * <p>One lock owns all of it. Three kinds of threads come in: the poll thread with records and assignments, the commit
 * thread for batches, and handler threads with outcomes; whoever makes a slot free or brings work takes the next items
 * on its way out, so no slot waits for another thread. No I/O happens under the lock.
 */
final class WorkerCore {
    /** Least that the horizon is ahead of what was read; after a crash that much may be suspect. */
    private static final int MIN_HORIZON_AHEAD = 128;

    private final WorkerSettings settings;
    private final InstantSource clock;
    private final LongSupplier nanoClock;
    private final ItemGate gate;
    private final Moves moves;
    private final Settlement settlement;
    private final WorkerMetrics metrics;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition attemptEnded = lock.newCondition();
    private final Condition commitWanted = lock.newCondition();
    private final Map<TopicPartition, OwnedPartition> owned = new HashMap<>();
    private final FairDispatch<LaneItem> dispatch;
    private final Map<Place, Attempt> running = new HashMap<>();
    private final Map<Place, LaneItem> behindZombies = new HashMap<>();
    private final Suspects suspects = new Suspects();
    private ConsumerGroupMetadata group;
    private boolean urgent;
    private volatile boolean caughtUp;

    /** Where a record lies, whoever owns it. */
    private record Place(TopicPartition partition, long offset) {}

    WorkerCore(
            WorkerSettings settings,
            FairDispatch<LaneItem> dispatch,
            ItemGate gate,
            Moves moves,
            Settlement settlement,
            WorkerMetrics metrics,
            InstantSource clock,
            LongSupplier nanoClock) {
        this.settings = settings;
        this.dispatch = dispatch;
        this.gate = gate;
        this.moves = moves;
        this.settlement = settlement;
        this.metrics = metrics;
        this.clock = clock;
        this.nanoClock = nanoClock;
    }

    // ---- the poll thread

    /** Takes partitions on; nothing of them starts before a first commit. */
    void assign(Collection<OwnedPartition> partitions) {
        locked(() -> {
            partitions.forEach(each -> owned.put(each.partition, each));
            return null;
        });
    }

    /** Takes note of the group as it is now, together with what is owned now. */
    void seen(ConsumerGroupMetadata metadata) {
        locked(() -> group = metadata);
    }

    Set<TopicPartition> partitions() {
        return locked(() -> Set.copyOf(owned.keySet()));
    }

    Optional<OwnedPartition> owned(TopicPartition partition) {
        return locked(() -> Optional.ofNullable(owned.get(partition)));
    }

    /**
     * Takes in what was polled.
     *
     * @return attempts to run now
     */
    List<Attempt> receive(OwnedPartition home, List<ConsumerRecord<byte[], byte[]>> records, long nextOffset) {
        long nowMillis = clock.millis();
        List<ItemGate.Read> reads = records.stream().map(record -> gate.read(home, record, nowMillis)).toList();
        return locked(() -> {
            if (home.leaving) {
                return List.of();
            }
            for (int i = 0; i < reads.size(); i++) {
                long offset = records.get(i).offset();
                Reading reading = home.progress.delivered(offset);
                if (reading == Reading.FINISHED) {
                    continue;
                }
                home.readSinceSnapshot++;
                switch (reads.get(i)) {
                    case ItemGate.Read.Bad bad -> {
                        home.settle(offset, moves.dead(records.get(i), bad.why(), nowMillis));
                        metrics.deadLettered(bad.why().reason());
                    }
                    case ItemGate.Read.Item item when reading == Reading.SUSPECT && settings.killerDeaths() > 0 ->
                        suspects.add(item.item());
                    case ItemGate.Read.Item item -> place(item.item(), nowMillis);
                }
            }
            home.positionedAt(nextOffset);
            lookAtSuspects(nowMillis);
            makeRoom(nowMillis);
            return next(nowMillis);
        });
    }

    /** The partitions not to read from now: at their own bound, or of a lane whose read-ahead is full. */
    Set<TopicPartition> paused() {
        return locked(() -> {
            Set<TopicPartition> paused = new HashSet<>();
            for (OwnedPartition each : owned.values()) {
                if (each.leaving || each.progress.isFull() || dispatch.isFull(each.lane)) {
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
            for (TopicPartition partition : partitions) {
                OwnedPartition home = owned.get(partition);
                if (home != null) {
                    home.leaving = true;
                    home.held.clear();
                }
            }
            dispatch.removeIf(item -> item.home().leaving, nanoClock.getAsLong());
            behindZombies.values().removeIf(item -> item.home().leaving);
            suspects.forgetLeaving();
            if (!awaitLeavingIdle(graceMillis)) {
                running.values().stream()
                        .filter(attempt -> attempt.item.home().leaving)
                        .forEach(attempt -> attempt.interrupt(Attempt.Interruption.PARTITION_LEFT));
                awaitLeavingIdle(TimeUnit.SECONDS.toMillis(1));
            }
        } finally {
            lock.unlock();
        }
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
            dispatch.removeIf(item -> item.home().gone, nanoClock.getAsLong());
            behindZombies.values().removeIf(item -> item.home().gone);
            suspects.forgetLeaving();
            running.values().stream()
                    .filter(attempt -> attempt.item.home().gone)
                    .forEach(attempt -> attempt.interrupt(Attempt.Interruption.PARTITION_LEFT));
            return null;
        });
    }

    // ---- handler threads

    /**
     * An attempt is over.
     *
     * @return attempts to run now
     */
    List<Attempt> ended(Attempt attempt, AttemptEnd end) {
        return locked(() -> {
            long nowMillis = clock.millis();
            LaneItem item = attempt.item;
            Place place = new Place(item.home().partition, item.offset());
            running.remove(place);
            if (!attempt.isSuspect()) {
                dispatch.ended(attempt.slot, nanoClock.getAsLong());
            } else {
                suspects.ended(item);
            }
            if (!item.home().gone) {
                settlement.settle(attempt, end, gate.policyOf(item.tenant()), nowMillis);
            }
            LaneItem waiting = behindZombies.remove(place);
            if (waiting != null && !waiting.home().leaving) {
                place(waiting, nowMillis);
            }
            attemptEnded.signalAll();
            lookAtSuspects(nowMillis);
            return next(nowMillis);
        });
    }

    /** Interrupts the attempts whose lease is over. */
    void endLeases() {
        locked(() -> {
            long nowMillis = clock.millis();
            running.values().forEach(attempt -> {
                if (attempt.interruptIfOverdue(nowMillis)) {
                    metrics.leaseEnded();
                }
            });
            return null;
        });
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
        locked(() -> {
            wantCommit();
            return null;
        });
    }

    /** What there is to commit now. */
    CommitBatch batch() {
        return locked(() -> {
            Map<OwnedPartition, CommitBatch.Part> parts = new LinkedHashMap<>();
            int metadataCharacters = 0;
            for (OwnedPartition each : owned.values()) {
                if (each.dirty && group != null && metadataCharacters < CommitThread.MAX_METADATA_CHARACTERS) {
                    ProgressState state = each.progress.snapshot(
                            Math.max(MIN_HORIZON_AHEAD, 4 * each.readSinceSnapshot), each.leaving, suspects.markOf(each));
                    parts.put(each, new CommitBatch.Part(state, each.movesSoFar()));
                    metadataCharacters += CommitThread.MAX_METADATA_OF_ONE;
                    each.dirty = false;
                    each.readSinceSnapshot = 0;
                }
            }
            return new CommitBatch(group, parts);
        });
    }

    /**
     * A batch is committed: what waited for it may go on.
     *
     * @return attempts to run now
     */
    List<Attempt> committed(CommitBatch batch) {
        return locked(() -> {
            long nowMillis = clock.millis();
            List<Attempt> attempts = new ArrayList<>();
            batch.parts().forEach((home, part) -> {
                for (int i = 0; i < part.moves().size(); i++) {
                    home.moves.remove();
                }
                if (home.leaving) {
                    return;
                }
                home.progress.committed(part.state());
                suspects.onCommitted(home, part.state().mark()).ifPresent(item -> attempts.add(start(item, null)));
                while (!home.held.isEmpty() && home.progress.mayStart(home.held.peek().offset())) {
                    place(home.held.remove(), nowMillis);
                }
            });
            makeRoom(nowMillis);
            attempts.addAll(next(nowMillis));
            return attempts;
        });
    }

    /** A batch was not committed: its parts are still to be. */
    void notCommitted(CommitBatch batch) {
        locked(() -> {
            batch.parts().keySet().forEach(home -> home.dirty = true);
            return null;
        });
    }

    // ---- for metrics

    int inFlight() {
        return locked(running::size);
    }

    int waiting(Lane lane) {
        return locked(() -> dispatch.waiting(lane));
    }

    int tenantsAtCap() {
        return locked(dispatch::tenantsAtCap);
    }

    int suspects() {
        return locked(suspects::size);
    }

    // ---- under the lock

    /** Finds a place for an item: dropped, aside, held for the horizon, or among the waiting. */
    private void place(LaneItem item, long nowMillis) {
        Optional<Route> stale = gate.staleness(item, nowMillis);
        if (stale.isPresent()) {
            setAside(item, stale.get());
        } else if (running.containsKey(new Place(item.home().partition, item.offset()))) {
            // Handed out before the partition went and came back: never two attempts of one item in one process.
            behindZombies.put(new Place(item.home().partition, item.offset()), item);
        } else if (item.home().progress.mayStart(item.offset())) {
            dispatch.offer(item.lane(), item.tenant(), gate.policyOf(item.tenant()), item, item.bytes(), item.moves());
        } else {
            item.home().held.add(item);
            wantCommit();
        }
    }

    private void setAside(LaneItem item, Route stale) {
        switch (stale) {
            case Route.Drop drop -> {
                item.home().settle(item.offset());
                metrics.dropped(drop.reason());
            }
            case Route.ToLane to -> {
                item.home().settle(item.offset(), moves.aside(item, to.lane(), to.reason()));
                metrics.moved(to.lane(), to.reason());
            }
            case Route.DeadLetter dead -> throw new IllegalStateException("age makes no dead letters");
        }
    }

    /** Moves on what is in the way of others' work. */
    private void makeRoom(long nowMillis) {
        for (Excess<LaneItem> excess : dispatch.excess(nowMillis, nanoClock.getAsLong())) {
            switch (excess) {
                case Excess.ToOverflow<LaneItem>(LaneItem item) -> {
                    item.home().settle(item.offset(), moves.aside(item, Lane.OVERFLOW, LaneReason.EXCESS));
                    metrics.moved(Lane.OVERFLOW, LaneReason.EXCESS);
                }
                case Excess.ToDelay<LaneItem>(LaneItem item, long dueMillis) -> {
                    item.home().settle(item.offset(),
                            moves.later(item, LaneReason.CAPPED, dueMillis, item.moves() + 1));
                    metrics.moved(Lane.DELAY, LaneReason.CAPPED);
                }
            }
        }
    }

    /** Fills the free slots. */
    private List<Attempt> next(long nowMillis) {
        List<Attempt> attempts = new ArrayList<>();
        while (true) {
            Optional<Start<LaneItem>> start = dispatch.take(caughtUp, nanoClock.getAsLong());
            if (start.isEmpty()) {
                return attempts;
            }
            LaneItem item = start.get().item();
            Optional<Route> stale = gate.staleness(item, nowMillis);
            boolean mayStart = stale.isEmpty() && settlement.mayAttempt(item, nowMillis);
            if (mayStart) {
                attempts.add(start(item, start.get()));
            } else {
                dispatch.ended(start.get(), nanoClock.getAsLong());
                stale.ifPresent(route -> setAside(item, route));
            }
        }
    }

    private Attempt start(LaneItem item, Start<LaneItem> slot) {
        Attempt attempt = new Attempt(item, slot, clock, nanoClock.getAsLong(),
                gate.policyOf(item.tenant()).timeoutMillis(), settings.leaseMax().toMillis());
        running.put(new Place(item.home().partition, item.offset()), attempt);
        metrics.started(attempt);
        return attempt;
    }

    private void lookAtSuspects(long nowMillis) {
        for (Optional<LaneItem> next = suspects.nextWhenFree(); next.isPresent(); next = suspects.nextWhenFree()) {
            LaneItem item = next.get();
            Optional<Route> stale = gate.staleness(item, nowMillis);
            if (stale.isPresent()) {
                setAside(item, stale.get());
            } else {
                settlement.judge(item, settings.killerDeaths(), nowMillis).ifPresent(mark -> {
                    suspects.mark(item, mark);
                    wantCommit();
                });
            }
        }
    }

    private void wantCommit() {
        urgent = true;
        commitWanted.signal();
    }

    private boolean awaitLeavingIdle(long millis) throws InterruptedException {
        long leftNanos = TimeUnit.MILLISECONDS.toNanos(millis);
        while (running.values().stream().anyMatch(attempt -> attempt.item.home().leaving)) {
            if (leftNanos <= 0) {
                return false;
            }
            leftNanos = attemptEnded.awaitNanos(leftNanos);
        }
        return true;
    }

    private <T> T locked(java.util.function.Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }
}
