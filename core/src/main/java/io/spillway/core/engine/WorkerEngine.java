package io.spillway.core.engine;

import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.ReadVerdict;
import io.spillway.core.progress.SuspectStatus;
import io.spillway.core.retry.AttemptResult;
import io.spillway.core.retry.AttemptTimeout;
import io.spillway.core.retry.AttemptTimeouts;
import io.spillway.core.retry.DestinationHealth;
import io.spillway.core.routing.Route;
import io.spillway.core.scheduling.DispatchSettings;
import io.spillway.core.scheduling.Excess;
import io.spillway.core.scheduling.FairDispatch;
import io.spillway.core.scheduling.SlotLease;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.random.RandomGenerator;

/**
 * State machine of one worker: decides what happens to each polled item (drop, end, move to another lane, hold until
 * a commit, quarantine, queue or start) and after each end of an attempt, commit and loss of a partition.
 *
 * <p>After each event the caller calls {@link #fillSlots}, and {@link #makeRoom} after arrivals and commits.
 *
 * <p>Not thread-safe. Owner: the caller, which calls it under its lock or on one thread. Bounds: those of
 * {@link FairDispatch} and {@link EnginePartition}, if the caller reads only where {@link #mayRead} allows it.
 */
public final class WorkerEngine<T extends EngineItem, A extends EngineAttempt<T>> {
    /** Bound of the {@link DestinationHealth} of one worker. */
    public static final int MAX_FAILING_TENANTS = 50_000;
    /** An item that no slot takes is not looked at otherwise. */
    private static final long ENDS_PERIOD_MILLIS = 10_000;

    private final FairDispatch<T> dispatch;
    private final int killerDeaths;
    private final ItemPolicies<T> policies;
    private final EngineEffects<T, A> effects;
    private final ItemAges<T> ages;
    private final Settlement<T, A> settlement;
    /** Items at or above the committed horizon of their partition, by offset, until a commit raises it. */
    private final Map<EnginePartition, Queue<T>> held = new HashMap<>();
    private final Quarantine<T> quarantine = new Quarantine<>();
    private final RunningAttempts<T, A> running = new RunningAttempts<>();
    private final SuspectTrials<T, A> trials;
    private final AttemptTimeouts timeouts = new AttemptTimeouts(AttemptTimeouts.MAX_TENANTS);
    private long endsCheckedMillis;

    /**
     * Creates an engine without partitions.
     *
     * @param health       records what attempts tell about their destinations, and knows tenants that only fail
     * @param killerDeaths deaths of workers with an item marked after which it becomes a dead letter; 0 turns the
     *                     quarantine off
     */
    public WorkerEngine(
            DispatchSettings settings, DestinationHealth health, int killerDeaths, ItemPolicies<T> policies,
            EngineEffects<T, A> effects) {
        this.dispatch = new FairDispatch<>(settings);
        this.killerDeaths = killerDeaths;
        this.policies = policies;
        this.effects = effects;
        this.ages = new ItemAges<>(policies, health);
        this.settlement = new Settlement<>(health, dispatch, effects);
        this.trials = new SuspectTrials<>(quarantine, settlement, running, effects, killerDeaths);
    }

    /** As {@link #mayRead(EnginePartition, int)}, for one record. */
    public boolean mayRead(EnginePartition partition) {
        return mayRead(partition, 1);
    }

    /**
     * Returns whether a partition may be read: not being revoked, with room in its progress for this many records, and
     * with room in the read-ahead ({@link FairDispatch#hasRoom}): one backlog fills half of it, two have a third each.
     *
     * @param records most records of the partition before the next call, 1 or more
     */
    public boolean mayRead(EnginePartition partition, int records) {
        return !partition.leaving && !partition.progress.isFull(records)
                && dispatch.hasRoom(partition.lane(), partition.unfinished(), partition.unfinishedBytes());
    }

    /**
     * Returns whether a poll of a partition must end before this offset, as {@link PartitionProgress#isCutAt} does.
     *
     * @param records number of records from this offset on in the poll
     */
    public boolean isCutAt(EnginePartition partition, long offset, int records) {
        return !partition.leaving && partition.progress.isCutAt(offset, records);
    }

    /**
     * Adds an item that was read, in the order of the offsets of its partition, unless a previous owner finished it.
     */
    public void arrived(EnginePartition partition, long offset, T item, long nowMillis, long nowNanos) {
        if (partition.leaving) {
            return;
        }
        ReadVerdict verdict = partition.delivered(offset);
        if (verdict == ReadVerdict.FINISHED) {
            return;
        }
        partition.hold(item.bytes());
        dispatch.hold(partition.lane(), 1, item.bytes());
        if (verdict != ReadVerdict.RUN && killerDeaths > 0) {
            quarantine.add(item);
        } else {
            admit(item, nowMillis, nowNanos);
        }
    }

    /**
     * Adds a record that contains no valid item, in the order of the offsets of its partition, as finished. Returns
     * whether the caller must dead-letter it in the transaction of the next snapshot.
     */
    public boolean arrivedUnreadable(EnginePartition partition, long offset) {
        if (partition.leaving || partition.delivered(offset) == ReadVerdict.FINISHED) {
            return false;
        }
        partition.finished(offset);
        return true;
    }

    /**
     * Starts waiting items and the next suspect until no slot is free, {@link EngineEffects#mayStart} or nothing may.
     *
     * @param liveLanesCaughtUp whether hot and overflow are caught up on all workers
     */
    public void fillSlots(boolean liveLanesCaughtUp, long nowMillis, long nowNanos) {
        decideOnSuspects(nowMillis, nowNanos);
        boolean takenBack = false;
        while (effects.mayStart(running.all().size())) {
            Optional<SlotLease<T>> start = dispatch.take(liveLanesCaughtUp, nowNanos);
            if (start.isEmpty()) {
                break;
            }
            T item = start.get().item();
            TenantPolicy policy = policies.policyOf(item);
            Optional<Route> stale = ages.staleness(item, policy, nowMillis);
            if (quarantine.hasEnoughOf(item, nowMillis)) {
                dispatch.cancelled(start.get(), nowNanos);
                settlement.putOff(item, nowMillis);
            } else if (quarantine.takesBack(item, nowMillis)) {
                dispatch.cancelled(start.get(), nowNanos);
                takenBack = true;
            } else if (stale.isEmpty()) {
                start(item, start.get(), policy, nowMillis, nowNanos);
            } else {
                dispatch.cancelled(start.get(), nowNanos);
                settlement.setAside(item, stale.get(), nowMillis);
            }
        }
        if (takenBack) {
            decideOnSuspects(nowMillis, nowNanos);
        }
    }

    /**
     * Moves waiting items that block other tenants to another lane, and sometimes ends those whose time is over or
     * whose handlers never return. Call it when the slots are filled, at least every few seconds.
     */
    public void makeRoom(long nowMillis, long nowNanos) {
        // The clock may go back.
        if (Math.abs(nowMillis - endsCheckedMillis) >= ENDS_PERIOD_MILLIS) {
            endsCheckedMillis = nowMillis;
            endOverdue(nowMillis, nowNanos);
        }
        for (Excess<T> excess : dispatch.excess(nowMillis, nowNanos)) {
            int moves = excess.item().moves() + 1;
            switch (excess) {
                case Excess.ToOverflow<T> over ->
                        settlement.move(over.item(), Lane.OVERFLOW, LaneReason.EXCESS, moves, 0);
                case Excess.ToDelay<T> later ->
                        settlement.move(later.item(), Lane.DELAY, LaneReason.CAPPED, moves, later.dueMillis());
            }
        }
    }

    /** Ends waiting items whose time is over, with a look-up for each, and those whose attempts are stuck. */
    void endOverdue(long nowMillis, long nowNanos) {
        dispatch.removeIf(item -> {
            Optional<Route> end = ages.end(item, nowMillis);
            end.ifPresent(route -> settlement.setAside(item, route, nowMillis));
            return end.isPresent();
        }, nowNanos);
        running.forEachStuck(nowNanos, attempt -> {
            quarantine.ended(attempt, true);
            settlement.giveUp(attempt, nowMillis);
        });
        running.takeBehindGivenUp().forEach(item -> settlement.giveUp(item, nowMillis));
    }

    /** Ends an attempt: frees its slot and decides what happens to its item. A wait before a retry is random. */
    public void ended(A attempt, AttemptResult result, RandomGenerator random, long nowMillis, long nowNanos) {
        quarantine.ended(attempt, !(result instanceof AttemptResult.Interrupted));
        if (attempt.slot != null) {
            dispatch.ended(attempt.slot, nowNanos);
        }
        timeouts.ended(attempt.timeout, result, nowNanos - attempt.startedNanos);
        settlement.settle(attempt, result, random, nowMillis);
        running.remove(attempt, nowNanos).ifPresent(waiting -> admit(waiting, nowMillis, nowNanos));
    }

    /** Returns the state of a partition to commit now, and marks the partition as unchanged. */
    public ProgressState snapshot(EnginePartition partition) {
        return partition.snapshot(quarantine.markOf(partition));
    }

    /** Records that a snapshot is committed: starts the suspect it marks and releases held items below its horizon. */
    public void committed(EnginePartition partition, ProgressState snapshot, long nowMillis, long nowNanos) {
        if (partition.leaving) {
            return;
        }
        partition.progress.committed(snapshot);
        quarantine.committed(partition, snapshot)
                .ifPresent(suspect -> start(suspect, null, policies.policyOf(suspect), nowMillis, nowNanos));
        quarantine.committedGroup(partition, snapshot).forEach(suspect -> admit(suspect, nowMillis, nowNanos));
        Queue<T> queue = held.get(partition);
        while (queue != null && !queue.isEmpty() && partition.progress.mayStart(queue.peek().offset())) {
            admit(queue.remove(), nowMillis, nowNanos);
        }
    }

    /** Begins the revocation of partitions: removes their waiting items; running attempts continue. */
    public void leave(Collection<EnginePartition> partitions, long nowNanos) {
        for (EnginePartition partition : partitions) {
            int items = partition.leaving ? 0 : partition.unfinished();
            partition.leaving = true;
            dispatch.hold(partition.lane(), -items, -partition.releaseAll());
            held.remove(partition);
        }
        dispatch.removeIf(item -> item.partition().leaving, nowNanos);
        running.forgetLeaving();
        quarantine.forgetLeaving();
    }

    /** Returns whether an attempt of a partition that is being revoked still runs. */
    public boolean hasLeavingAttempts() {
        return running.hasLeaving();
    }

    /** Records that the attempts of these partitions ended or ignore their interrupt: the next snapshot is clean. */
    public void drained(Collection<EnginePartition> partitions) {
        for (EnginePartition partition : partitions) {
            partition.drained = true;
            partition.markDirty();
        }
    }

    /** Removes lost partitions. Attempts that run keep their slots; items read again wait for their earlier attempt. */
    public void forget(Collection<EnginePartition> partitions, long nowNanos) {
        partitions.forEach(partition -> partition.gone = true);
        leave(partitions, nowNanos);
        running.abandon(nowNanos, effects::abandoned);
    }

    /** Returns a view of the running attempts, in no order. */
    public List<A> attempts() {
        return running.all();
    }

    /** Returns the timeouts of attempts by tenant, for reports; used as the engine is. */
    public AttemptTimeouts timeouts() {
        return timeouts;
    }

    /** Returns how many items of a lane wait for a slot; the lane is hot, overflow or aged. */
    public int waiting(Lane lane) {
        return dispatch.waiting(lane);
    }

    /** Returns since when the oldest unattempted item of each lane and tenant waits, epoch milliseconds; slow. */
    public Map<Lane, Map<String, Long>> waitingSinceMillis() {
        return OldestWaiting.of(dispatch, held.values(), quarantine);
    }

    /** Returns the time for which attempts have run, summed over all attempts. */
    public long busyNanos(long nowNanos) {
        return running.busyNanos(nowNanos);
    }

    /** Returns its scheduler, for reports and for shares of concurrency; used as the engine is. */
    public FairDispatch<T> dispatch() {
        return dispatch;
    }

    /** Follows the statuses of all workers by name; the own one may be from before a restart. */
    public void follow(String self, Map<String, SuspectStatus.Received> fleet) {
        if (killerDeaths > 0) {
            quarantine.follow(self, fleet);
        }
    }

    /** Returns what to tell the other workers now. */
    public SuspectStatus suspectStatus(long nowMillis) {
        return quarantine.status(nowMillis);
    }

    /** Returns the items in quarantine. */
    public int suspects() {
        return quarantine.size();
    }

    private void admit(T item, long nowMillis, long nowNanos) {
        TenantPolicy policy = policies.policyOf(item);
        if (!isReady(item, policy, nowMillis)) {
            return;
        }
        EnginePartition partition = item.partition();
        if (partition.progress.mayStart(item.offset())) {
            dispatch.offer(partition.lane(), item.tenant(), item.workload(), policy, item, item.moves(),
                    item.priority(), item.freshSinceMillis());
        } else {
            held.computeIfAbsent(partition, absent -> new ArrayDeque<>()).add(item);
            partition.markDirty();
            effects.commitWanted(nowNanos);
        }
    }

    /** Returns whether an item can go on; otherwise its age has moved it, or it waits for its earlier attempt. */
    private boolean isReady(T item, TenantPolicy policy, long nowMillis) {
        Optional<Route> stale = ages.staleness(item, policy, nowMillis).filter(to -> quarantine.mayGo(item, to));
        stale.ifPresent(route -> settlement.setAside(item, route, nowMillis));
        return stale.isEmpty() && !running.waitBehind(item);
    }

    private void start(T item, SlotLease<T> slot, TenantPolicy policy, long nowMillis, long nowNanos) {
        long blameToLast = (policy.attempts() - 1L) * DestinationHealth.WHOLE;
        AttemptTimeout timeout = timeouts.start(
                item.tenant(), policy, item.attempts(), item.blameThousandths() >= blameToLast, nowMillis);
        A attempt = effects.start(item, slot, policy, timeout, nowMillis, nowNanos);
        running.add(attempt, nowNanos);
        quarantine.started(attempt);
    }

    private void decideOnSuspects(long nowMillis, long nowNanos) {
        trials.decide(item -> isReady(item, policies.policyOf(item), nowMillis), nowMillis, nowNanos);
        dispatch.hold(quarantine.isolatedTenant());
    }
}
