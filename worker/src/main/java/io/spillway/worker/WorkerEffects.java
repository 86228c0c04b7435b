package io.spillway.worker;

import io.spillway.core.engine.EngineEffects;
import io.spillway.core.item.DropReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.Route;
import io.spillway.core.scheduling.SlotLease;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Effects of the engine in the worker: records for other lanes, ledger entries, metrics, attempts. Called under the
 * lock of {@link WorkerCore}.
 *
 * <p>Owner: {@link WorkerCore}. Bound: the slots and one suspect.
 */
final class WorkerEffects implements EngineEffects<LaneItem, Attempt> {
    private final LaneRecords moves;
    private final WorkerMetrics metrics;
    private final InstantSource clock;
    private final LongSupplier nanoClock;
    private final long leaseMaxMillis;
    private List<Attempt> started = new ArrayList<>();
    private boolean commitWanted;

    WorkerEffects(
            LaneRecords moves, WorkerMetrics metrics, InstantSource clock, LongSupplier nanoClock,
            long leaseMaxMillis) {
        this.moves = moves;
        this.metrics = metrics;
        this.clock = clock;
        this.nanoClock = nanoClock;
        this.leaseMaxMillis = leaseMaxMillis;
    }

    /** Returns the attempts that were started since the last call; the caller runs them. */
    List<Attempt> takeStarted() {
        List<Attempt> taken = started;
        started = new ArrayList<>();
        return taken;
    }

    /** Returns whether an item waits for a commit since the last call. */
    boolean takeCommitWanted() {
        boolean wanted = commitWanted;
        commitWanted = false;
        return wanted;
    }

    /** Dead-letters an unreadable record. */
    void unreadable(OwnedPartition owned, ItemGate.Read.Bad bad, long nowMillis) {
        owned.moved(bad.tenant(), Lane.DEAD_LETTER, moves.dead(bad.record(), bad.why(), nowMillis));
        metrics.departures.deadLettered(bad.why().reason());
    }

    @Override
    public Attempt start(LaneItem item, SlotLease<LaneItem> slot, TenantPolicy policy, long nowMillis, long nowNanos) {
        Attempt attempt = new Attempt(item, slot, policy, clock, nanoClock, nowNanos, leaseMaxMillis);
        started.add(attempt);
        return attempt;
    }

    @Override
    public void done(LaneItem item) {
        item.owned().left(item.tenant(), ItemState.DONE);
    }

    @Override
    public void dropped(LaneItem item, DropReason reason) {
        item.owned().left(item.tenant(), ItemState.DROPPED);
        metrics.departures.dropped(reason);
    }

    @Override
    public void moved(LaneItem item, Lane to, LaneReason reason, int moveCount, long dueMillis) {
        item.owned().moved(item.tenant(), to, moves.unattempted(item, to, reason, moveCount, dueMillis));
        metrics.moved(to, reason).increment();
    }

    @Override
    public void retried(Attempt attempt, int attempts, long dueMillis) {
        LaneItem item = attempt.item;
        item.owned().moved(item.tenant(), Lane.DELAY, moves.retry(item, attempts, dueMillis, attempt.startedAtMillis));
    }

    @Override
    public void deadLettered(LaneItem item, Route.DeadLetter why, int attempts, long nowMillis) {
        item.owned().moved(item.tenant(), Lane.DEAD_LETTER, moves.dead(item, why, attempts, nowMillis));
        metrics.departures.deadLettered(why.reason());
    }

    @Override
    public void retryAsked(LaneItem item, boolean granted) {
        metrics.budgets.requested(item.tenant(), granted);
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
