package io.spillway.worker;

import io.spillway.core.engine.EngineEffects;
import io.spillway.core.item.DeadReason;
import io.spillway.core.item.DropReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.item.Printable;
import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.retry.AttemptTimeout;
import io.spillway.core.retry.NextStep;
import io.spillway.core.routing.Route;
import io.spillway.core.scheduling.SlotLease;
import io.spillway.kafka.codec.TrailCodec;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Effects of the engine in the worker: records for other lanes, ledger entries, metrics, attempts. Called under the
 * lock of {@link WorkerCore}.
 *
 * <p>Owner: {@link WorkerCore}. Bound: the slots and one suspect, and the suspects of one takeover.
 */
final class WorkerEffects implements EngineEffects<LaneItem, Attempt> {
    private static final TrailCodec.End DONE = new TrailCodec.End(ItemState.DONE, "");

    private final LaneRecords moves;
    private final WorkerMetrics metrics;
    private final InstantSource clock;
    private final LongSupplier nanoClock;
    private final long leaseMaxMillis;
    private final IntSupplier limit;
    private List<Attempt> started = new ArrayList<>();
    private List<String> notes = new ArrayList<>();
    private boolean commitWanted;

    WorkerEffects(
            LaneRecords moves, WorkerMetrics metrics, InstantSource clock, LongSupplier nanoClock,
            long leaseMaxMillis) {
        this(moves, metrics, clock, nanoClock, leaseMaxMillis, () -> Integer.MAX_VALUE);
    }

    /** @param limit most attempts that may run now besides the slots' number; called under the lock of the core */
    WorkerEffects(
            LaneRecords moves, WorkerMetrics metrics, InstantSource clock, LongSupplier nanoClock,
            long leaseMaxMillis, IntSupplier limit) {
        this.moves = moves;
        this.metrics = metrics;
        this.clock = clock;
        this.nanoClock = nanoClock;
        this.leaseMaxMillis = leaseMaxMillis;
        this.limit = limit;
    }

    /** Returns the attempts that were started since the last call; the caller runs them. */
    List<Attempt> takeStarted() {
        List<Attempt> taken = started;
        started = new ArrayList<>();
        return taken;
    }

    /** Returns lines for the log since the last call, because no I/O happens under the lock. */
    List<String> takeNotes() {
        List<String> taken = notes;
        notes = new ArrayList<>();
        return taken;
    }

    /** Interrupts an attempt whose partition is being released; one that calls {@code System.exit} leaves suspects. */
    void interrupt(Attempt attempt) {
        attempt.exitCaller().ifPresent(caller -> {
            attempt.item.partition().endsProcess();
            notes.add("The handler ends this process by System.exit at " + Printable.of(caller.toString())
                    + ", " + HandlerFailures.describe(attempt) + ". A handler must return or throw instead.");
        });
        attempt.interrupt(Attempt.Interruption.PARTITION_LEFT);
    }

    /** Returns whether an item waits for a commit since the last call. */
    boolean takeCommitWanted() {
        boolean wanted = commitWanted;
        commitWanted = false;
        return wanted;
    }

    /** Returns what a partition commits next, with this progress. */
    CommitBatch.Part part(OwnedPartition owned, ProgressState state) {
        LedgerDeltas deltas = owned.deltasToCommit();
        if (moves.mayNotFit()) {
            owned.replaceMoves(move -> moves.fitting(move, deltas));
        }
        return new CommitBatch.Part(state, owned.movesToCommit(), deltas);
    }

    /** Dead-letters an unreadable record. */
    void unreadable(OwnedPartition owned, ItemGate.Read.Bad bad, long nowMillis) {
        owned.deadLettered(bad.tenant(), bad.why().reason(), moves.dead(bad.record(), bad.why(), nowMillis));
        metrics.departures.deadLettered(bad.why().reason());
    }

    @Override
    public boolean mayStart(int running) {
        return running < limit.getAsInt();
    }

    @Override
    public Attempt start(
            LaneItem item, SlotLease<LaneItem> slot, TenantPolicy policy, AttemptTimeout timeout, long nowMillis,
            long nowNanos) {
        Attempt attempt = new Attempt(item, slot, policy, timeout, clock, nanoClock, nowNanos, leaseMaxMillis);
        attempt.deathsBefore = item.partition().deathsWith(item.offset());
        started.add(attempt);
        return attempt;
    }

    @Override
    public void done(LaneItem item) {
        item.owned().left(item.tenant(), ItemState.DONE);
        if (moves.keepsTrail()) {
            item.owned().produce(moves.finished(item, DONE, item.attempts() + 1));
        }
    }

    @Override
    public void dropped(LaneItem item, DropReason reason) {
        item.owned().left(item.tenant(), ItemState.DROPPED);
        if (moves.keepsTrail()) {
            TrailCodec.End end = new TrailCodec.End(ItemState.DROPPED, reason.label());
            item.owned().produce(moves.finished(item, end, item.attempts()));
        }
        metrics.departures.dropped(reason);
        metrics.setAside(item, clock.millis());
    }

    @Override
    public void ended(LaneItem item, Route.DeadLetter why, long nowMillis) {
        deadLetter(item, why, moves.dead(item.record(), why, nowMillis));
        metrics.setAside(item, nowMillis);
    }

    @Override
    public void moved(LaneItem item, Lane to, LaneReason reason, int moveCount, long dueMillis) {
        item.owned().moved(item.tenant(), to, moves.unattempted(item, to, reason, moveCount, dueMillis));
        metrics.moved(to, reason).increment();
        if (reason != LaneReason.LATER) {
            metrics.setAside(item, clock.millis());
        }
    }

    @Override
    public void retried(Attempt attempt, NextStep.Delay next) {
        LaneItem item = attempt.item;
        item.owned().moved(item.tenant(), Lane.DELAY, moves.retry(attempt, next));
        metrics.failures.failed(item.tenant());
    }

    @Override
    public void deadLettered(Attempt attempt, Route.DeadLetter why, int attempts, long nowMillis) {
        if (why.reason() == DeadReason.STUCK) {
            notes.add("An item is a dead letter, " + HandlerFailures.describe(attempt.item) + ": " + why.detail()
                    + ", and keeps its slot until it does. It is in " + Printable.of(attempt.where()));
        }
        deadLetter(attempt.item, why, moves.dead(attempt, why, attempts, nowMillis));
    }

    @Override
    public void convicted(LaneItem item, Route.DeadLetter why, int attempts, long nowMillis) {
        notes.add("An item is a dead letter, " + HandlerFailures.describe(item) + ": " + why.detail());
        deadLetter(item, why, moves.convicted(item, why, attempts, nowMillis));
    }

    private void deadLetter(LaneItem item, Route.DeadLetter why, ProducerRecord<byte[], byte[]> dead) {
        item.owned().deadLettered(item.tenant(), why.reason(), dead);
        metrics.departures.deadLettered(why.reason());
    }

    @Override
    public void commitWanted(long nowNanos) {
        commitWanted = true;
    }

    @Override
    public void abandoned(Attempt attempt) {
        attempt.interrupt(Attempt.Interruption.PARTITION_LEFT);
    }
}
