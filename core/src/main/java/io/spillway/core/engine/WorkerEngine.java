package io.spillway.core.engine;

import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.ReadVerdict;
import io.spillway.core.progress.SuspectDecision;
import io.spillway.core.progress.SuspectRules;
import io.spillway.core.retry.AttemptResult;
import io.spillway.core.retry.RetryBudgets;
import io.spillway.core.routing.Route;
import io.spillway.core.routing.RoutingRules;
import io.spillway.core.scheduling.DispatchSettings;
import io.spillway.core.scheduling.Excess;
import io.spillway.core.scheduling.FairDispatch;
import io.spillway.core.scheduling.SlotLease;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The state machine of one worker: decides what happens to each item that arrives (drop, move to another lane, hold
 * until a commit, quarantine, queue or start) and what the end of an attempt, a commit and the loss of a partition lead
 * to.
 *
 * <p>After each event the caller calls {@link #fillSlots}, and {@link #makeRoom} after arrivals and commits. Times are
 * epoch milliseconds and nanoseconds of one clock that does not go back.
 *
 * <p>Not thread-safe. Owner: the caller, which calls it under its lock or on one thread. Bounds: those of
 * {@link FairDispatch} and {@link EnginePartition}, as long as the caller stops reading where {@link #mayRead} says so.
 *
 * @param <T> the caller's item
 * @param <A> the caller's attempt
 */
public final class WorkerEngine<T extends EngineItem, A extends EngineAttempt<T>> {
    /** The destination that retry budgets are kept for: one handler is one destination. */
    public static final String DESTINATION = "handler";
    /** Bound of the {@link RetryBudgets} of one worker: only tenants whose items fail have one. */
    public static final int MAX_BUDGETS = 100_000;

    private final FairDispatch<T> dispatch;
    private final int killerDeaths;
    private final ItemPolicies<T> policies;
    private final EngineEffects<T, A> effects;
    private final Settlement<T, A> settlement;
    private final HeldItems<T> held = new HeldItems<>();
    private final Quarantine<T> quarantine = new Quarantine<>();
    private final RunningAttempts<T, A> running = new RunningAttempts<>();

    /**
     * Makes an engine that owns no partition.
     *
     * @param settings     of the scheduler, not null
     * @param budgets      for retries, not null
     * @param killerDeaths workers that die with an item alone before it is a dead letter; 0 turns the quarantine off
     * @param policies     not null
     * @param effects      not null
     */
    public WorkerEngine(
            DispatchSettings settings, RetryBudgets budgets, int killerDeaths, ItemPolicies<T> policies,
            EngineEffects<T, A> effects) {
        this.dispatch = new FairDispatch<>(settings);
        this.killerDeaths = killerDeaths;
        this.policies = policies;
        this.effects = effects;
        this.settlement = new Settlement<>(budgets, effects);
    }

    // ---- arrivals

    /** Whether a partition may be read now: not being given up, and neither it nor its lane's read-ahead is full. */
    public boolean mayRead(EnginePartition partition) {
        return !partition.leaving && !partition.progress.isFull() && !dispatch.isFull(partition.lane());
    }

    /**
     * Takes in an item that was read, in the order of the offsets of its partition.
     *
     * @param item not looked at when its record was finished by the owner before
     */
    public void arrived(EnginePartition partition, long offset, T item, long nowMillis, long nowNanos) {
        if (partition.leaving) {
            return;
        }
        ReadVerdict reading = partition.delivered(offset);
        if (reading == ReadVerdict.SUSPECT && killerDeaths > 0) {
            quarantine.add(item);
        } else if (reading != ReadVerdict.FINISHED) {
            admit(item, nowMillis, nowNanos);
        }
    }

    /**
     * Takes in a record that holds no item, in the order of the offsets of its partition; it is finished by that.
     *
     * @return whether the caller must dead-letter it in the transaction of the next snapshot
     */
    public boolean arrivedUnreadable(EnginePartition partition, long offset) {
        if (partition.leaving || partition.delivered(offset) == ReadVerdict.FINISHED) {
            return false;
        }
        partition.finished(offset);
        return true;
    }

    // ---- slots

    /**
     * Starts waiting items until no slot is free or nothing may start, after a look at the quarantine.
     *
     * @param liveLanesCaughtUp whether hot and overflow are worked off, over all workers
     */
    public void fillSlots(boolean liveLanesCaughtUp, long nowMillis, long nowNanos) {
        decideOnSuspects(nowMillis, nowNanos);
        while (true) {
            Optional<SlotLease<T>> start = dispatch.take(liveLanesCaughtUp, nowNanos);
            if (start.isEmpty()) {
                return;
            }
            T item = start.get().item();
            TenantPolicy policy = policies.policyOf(item);
            Optional<Route> stale = staleness(item, policy, nowMillis);
            if (stale.isEmpty() && settlement.mayAttempt(item, nowMillis)) {
                start(item, start.get(), policy, nowMillis, nowNanos);
            } else {
                dispatch.cancelled(start.get(), nowNanos);
                stale.ifPresent(route -> settlement.setAside(item, route));
            }
        }
    }

    /** Moves waiting items that are in the way of other tenants' to another lane; called when the slots are filled. */
    public void makeRoom(long nowMillis, long nowNanos) {
        for (Excess<T> excess : dispatch.excess(nowMillis, nowNanos)) {
            T item = excess.item();
            switch (excess) {
                case Excess.ToOverflow<T> over ->
                        settlement.move(item, Lane.OVERFLOW, LaneReason.EXCESS, item.moves() + 1, 0);
                case Excess.ToDelay<T> later ->
                        settlement.move(item, Lane.DELAY, LaneReason.CAPPED, item.moves() + 1, later.dueMillis());
            }
        }
    }

    /**
     * Ends an attempt: frees its slot and decides what becomes of its item.
     *
     * @param result what it came to, not null
     * @param random for the wait before a retry, not null
     */
    public void ended(A attempt, AttemptResult result, RandomGenerator random, long nowMillis, long nowNanos) {
        if (attempt.slot == null) {
            quarantine.ended(attempt.item);
        } else {
            dispatch.ended(attempt.slot, nowNanos);
        }
        if (!attempt.item.partition().gone) {
            settlement.settle(attempt, result, random, nowMillis);
        }
        running.remove(attempt).ifPresent(waiting -> admit(waiting, nowMillis, nowNanos));
    }

    // ---- commits

    /** Returns what to commit of a partition now, and marks it as clean of changes. */
    public ProgressState snapshot(EnginePartition partition) {
        return partition.snapshot(quarantine.markOf(partition));
    }

    /** Records that a snapshot is committed: the suspect it marks starts, and held items below its horizon go on. */
    public void committed(EnginePartition partition, ProgressState snapshot, long nowMillis, long nowNanos) {
        if (partition.leaving) {
            return;
        }
        partition.progress.committed(snapshot);
        quarantine.committed(partition, snapshot)
                .ifPresent(suspect -> start(suspect, null, policies.policyOf(suspect), nowMillis, nowNanos));
        held.release(partition, item -> admit(item, nowMillis, nowNanos));
    }

    // ---- giving partitions up

    /** Begins to give partitions up: their waiting items are forgotten, their running attempts go on. */
    public void leave(Collection<EnginePartition> partitions, long nowNanos) {
        forgetWaiting(partitions, nowNanos);
    }

    /** Whether an attempt of a partition that is being given up still runs. */
    public boolean hasLeavingAttempts() {
        return running.hasLeaving();
    }

    /**
     * Records that nothing of these partitions runs any more, or that what does ignores its interrupt: the next
     * snapshot hands them on without suspects.
     */
    public void drained(Collection<EnginePartition> partitions) {
        for (EnginePartition partition : partitions) {
            partition.drained = true;
            partition.markDirty();
        }
    }

    /**
     * Forgets partitions for good. Attempts that still run keep their slots until they end, and an item that comes back
     * waits for the attempt of it that began before.
     */
    public void forget(Collection<EnginePartition> partitions, long nowNanos) {
        partitions.forEach(partition -> partition.gone = true);
        forgetWaiting(partitions, nowNanos);
        running.abandon(effects::abandoned);
    }

    // ---- figures

    /** The running attempts, a view in no order. */
    public List<A> attempts() {
        return running.all();
    }

    /** Items of a lane that wait for a slot; lane is hot, overflow or aged. */
    public int waiting(Lane lane) {
        return dispatch.waiting(lane);
    }

    /** Tenants that hold as many slots as their own cap allows. */
    public int tenantsAtCap() {
        return dispatch.tenantsAtCap();
    }

    /** Items in quarantine. */
    public int suspects() {
        return quarantine.size();
    }

    // ---- decisions

    private void admit(T item, long nowMillis, long nowNanos) {
        TenantPolicy policy = policies.policyOf(item);
        Optional<Route> stale = staleness(item, policy, nowMillis);
        if (stale.isPresent()) {
            settlement.setAside(item, stale.get());
        } else if (!running.waitBehind(item)) {
            enqueue(item, policy, nowNanos);
        }
    }

    /** Adds an item to those that wait for a slot, or holds it until a commit has raised the horizon above it. */
    private void enqueue(T item, TenantPolicy policy, long nowNanos) {
        EnginePartition partition = item.partition();
        if (partition.progress.mayStart(item.offset())) {
            dispatch.offer(partition.lane(), item.tenant(), policy, item, item.bytes(), item.moves());
        } else {
            held.add(item);
            partition.markDirty();
            effects.commitWanted(nowNanos);
        }
    }

    /** What time has made of an item since it was routed: to be dropped, or in hot to be moved to aged. */
    private Optional<Route> staleness(T item, TenantPolicy policy, long nowMillis) {
        long sweepStartMillis =
                policy.sweepable() ? policies.sweptBeforeMillis(item, nowMillis) : RoutingRules.NO_SWEEP_MILLIS;
        return RoutingRules.staleness(
                        item.enqueuedAtMillis(), item.freshSinceMillis(), policy, sweepStartMillis, nowMillis)
                .filter(route -> route instanceof Route.Drop || item.partition().lane() == Lane.HOT);
    }

    private void start(T item, SlotLease<T> slot, TenantPolicy policy, long nowMillis, long nowNanos) {
        running.add(effects.start(item, slot, policy, nowMillis, nowNanos));
    }

    /** Takes suspects out of quarantine until one is marked to run alone. */
    private void decideOnSuspects(long nowMillis, long nowNanos) {
        for (var next = quarantine.next(); next.isPresent(); next = quarantine.next()) {
            T item = next.get();
            Optional<Route> stale = staleness(item, policies.policyOf(item), nowMillis);
            if (stale.isPresent()) {
                settlement.setAside(item, stale.get());
            } else if (!running.waitBehind(item)) {
                judge(item, nowMillis, nowNanos);
            }
        }
    }

    private void judge(T suspect, long nowMillis, long nowNanos) {
        switch (SuspectRules.decide(suspect.offset(), suspect.partition().progress.takenOverMark(), killerDeaths)) {
            case SuspectDecision.RunAlone alone -> {
                quarantine.mark(suspect, alone.mark());
                effects.commitWanted(nowNanos);
            }
            case SuspectDecision.Convict convict -> settlement.convict(suspect, convict.deaths(), nowMillis);
            case SuspectDecision.RunFreely freely -> throw new IllegalStateException("the quarantine is turned off");
        }
    }

    private void forgetWaiting(Collection<EnginePartition> partitions, long nowNanos) {
        for (EnginePartition partition : partitions) {
            partition.leaving = true;
            held.forget(partition);
        }
        dispatch.removeIf(item -> item.partition().leaving, nowNanos);
        running.forgetLeaving();
        quarantine.forgetLeaving();
    }
}
