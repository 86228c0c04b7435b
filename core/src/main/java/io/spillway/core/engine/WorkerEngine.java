package io.spillway.core.engine;

import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.SuspectStatus;
import io.spillway.core.retry.AttemptTimeouts;
import io.spillway.core.retry.DestinationHealth;
import io.spillway.core.routing.Route;
import io.spillway.core.scheduling.DispatchSettings;
import io.spillway.core.scheduling.Excess;
import io.spillway.core.scheduling.FairDispatch;
import io.spillway.core.scheduling.MaxMinSlots;
import io.spillway.handler.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToIntFunction;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * State machine of one worker: decides what happens to each polled item (drop, end, move to another lane, hold until
 * a commit, quarantine, queue or start) and after each end of an attempt, commit and loss of a partition.
 *
 * <p>Each event returns the steps that follow from it. The caller carries them out in order before the next event,
 * which reuses the list. After each event it calls {@link #fillSlots}; {@link #makeRoom} after arrivals and commits.
 *
 * <p>Not thread-safe. Owner: the caller, which calls it under its lock or on one thread. Bounds: those of
 * {@link FairDispatch} and {@link EnginePartition}, if the caller reads only where {@link #mayRead} allows it.
 */
public final class WorkerEngine<T extends EngineItem, A extends EngineAttempt<T>> {
    /** An item that no slot takes is not looked at otherwise. */
    private static final long ENDS_PERIOD_MILLIS = 10_000;

    private final FairDispatch<T> dispatch;
    private final int killerDeaths;
    private final List<Step<T, A>> steps = new ArrayList<>();
    private final ItemPolicies<T> policies;
    private final EngineStarts<T, A> starts;
    private final EarlyItems<T, A> early = new EarlyItems<>();
    private final Settlement<T, A> settlement;
    private final RunningAttempts<T, A> running = new RunningAttempts<>();
    private final Quarantine<T, A> quarantine;
    private final EngineArrivals<T, A> arrivals;
    private final Claims<T, A> claims;
    private final AttemptTimeouts timeouts = new AttemptTimeouts(AttemptTimeouts.MAX_TENANTS);
    private long endsCheckedMillis;
    /** Of the latest arrivals or starts. */
    private long nowMillis;

    /**
     * Creates an engine without partitions.
     *
     * @param health       records what attempts tell about their destinations, and knows tenants that only fail
     * @param killerDeaths deaths of workers with an item marked after which it becomes a dead letter; 0 turns the
     *                     quarantine off
     * @param batchItems   most items of a call that has this one first, 1 or more
     */
    public WorkerEngine(
            DispatchSettings settings, DestinationHealth health, int killerDeaths, ItemPolicies<T> policies,
            EngineAttempt.Factory<T, A> attempts, ToIntFunction<T> batchItems) {
        this.dispatch = new FairDispatch<>(settings);
        this.killerDeaths = killerDeaths;
        this.policies = policies;
        this.settlement = new Settlement<>(health, policies, dispatch, early, steps);
        this.quarantine = new Quarantine<>(killerDeaths, settlement, running, steps);
        this.arrivals = new EngineArrivals<>(dispatch, policies, settlement, quarantine, running, early, steps,
                killerDeaths > 0);
        this.claims = new Claims<>(settlement, quarantine, running, early, steps);
        this.starts = new EngineStarts<>(dispatch, policies, settlement, quarantine, running, timeouts, attempts,
                batchItems, steps);
    }

    /** Creates an engine as above for a handler that takes one item in a call. */
    public WorkerEngine(
            DispatchSettings settings, DestinationHealth health, int killerDeaths, ItemPolicies<T> policies,
            EngineAttempt.Factory<T, A> attempts) {
        this(settings, health, killerDeaths, policies, attempts, first -> 1);
    }

    /**
     * Returns whether a partition may be read: not being revoked, with room in its progress for this many records, and
     * with room in the read-ahead ({@link FairDispatch#hasRoom}): one backlog fills half of it, two have a third each.
     * Items that belong into other partitions are read as fast as they may be moved.
     *
     * @param records most records of the partition before the next call, 1 or more
     */
    public boolean mayRead(EnginePartition partition, int records) {
        return !partition.leaving && !partition.progress.isFull(records)
                && !(partition.relocates && settlement.hasRelocatedEnough(nowMillis))
                && dispatch.hasRoom(partition.lane(), partition.unfinished(), partition.unfinishedBytes());
    }

    /**
     * Adds the records of one poll of a partition, by ascending offset, except those that a previous owner finished. If
     * it has no room for all, the caller must read those from {@link EnginePartition#position} on again.
     *
     * @param nextOffset position after the poll
     */
    public List<Step<T, A>> received(
            EnginePartition partition, List<T> items, long nextOffset, long nowMillis) {
        steps.clear();
        this.nowMillis = nowMillis;
        arrivals.received(partition, items, nextOffset, nowMillis);
        return steps;
    }

    /**
     * Applies the current policies to what waits, and this worker's parts of the limits; returns its demand under them.
     * To be called twice a second.
     */
    public Map<String, MaxMinSlots.Demand> share(MaxMinSlots shares) {
        dispatch.followPolicies(policies::policyOf);
        return dispatch.share(shares);
    }

    /** Returns whether {@link #startEarly} starts nothing, because of other items. */
    public boolean isBusy() {
        return arrivals.isBusy();
    }

    /** Returns whether {@link #startEarly} may start an item of a partition at all. */
    public boolean mayStartEarly(EnginePartition partition) {
        return arrivals.mayStartEarly(partition);
    }

    /**
     * Starts a fresh item of hot whose record is not committed yet, if a slot is free for it now and nothing of its
     * tenant waits; otherwise it waits for the commit. {@link #received} gets the committed record, by its
     * {@link EngineItem#identity}, and only then follows what the attempt has decided.
     *
     * @param liveLanesCaughtUp as in {@link #fillSlots}, and so are the following ones
     */
    public List<Step<T, A>> startEarly(
            T item, boolean liveLanesCaughtUp, int most, long nowMillis, long nowNanos) {
        steps.clear();
        arrivals.offerEarly(item, nowMillis, nowNanos).ifPresent(waiting -> {
            fillSlots(liveLanesCaughtUp, most, nowMillis, nowNanos);
            Optional<A> attempt = lastStarted(item);
            attempt.ifPresentOrElse(started -> {
                arrivals.hold(item);
                early.started(item, started);
            }, () -> dispatch.withdraw(waiting, nowNanos));
        });
        return steps;
    }

    /** Returns the attempt of an item that the last call of {@link #fillSlots} has started. */
    private Optional<A> lastStarted(T item) {
        return steps.stream()
                .flatMap(step -> step instanceof Step.Start<T, A> start ? Stream.of(start.attempt()) : Stream.empty())
                .filter(attempt -> attempt.item == item).findAny();
    }

    /** Lets no more items of a partition start early. Returns how many are not confirmed. */
    public int stopEarly(EnginePartition partition) {
        partition.becomeStrict();
        return early.count(partition);
    }

    /**
     * Starts waiting items and the next suspect until no slot is free, or nothing may start. Several items of a
     * workload share a slot if the handler takes them in one call.
     *
     * @param liveLanesCaughtUp whether hot and overflow are caught up on all workers
     * @param most              most attempts that may run, 0 or more, besides the number of slots
     */
    public List<Step<T, A>> fillSlots(boolean liveLanesCaughtUp, int most, long nowMillis, long nowNanos) {
        steps.clear();
        this.nowMillis = nowMillis;
        decideOnSuspects(nowMillis, nowNanos);
        if (starts.fillSlots(liveLanesCaughtUp, most, nowMillis, nowNanos)) {
            decideOnSuspects(nowMillis, nowNanos);
        }
        return steps;
    }

    /**
     * Moves waiting items that block other tenants to another lane, and sometimes ends those whose time is over or
     * whose handlers never return. Call it when the slots are filled, at least every few seconds.
     */
    public List<Step<T, A>> makeRoom(long nowMillis, long nowNanos) {
        steps.clear();
        // The clock may go back.
        if (Math.abs(nowMillis - endsCheckedMillis) >= ENDS_PERIOD_MILLIS) {
            endsCheckedMillis = nowMillis;
            endOverdue(nowMillis, nowNanos);
        }
        for (Excess<T> excess : dispatch.excess(nowMillis, nowNanos)) {
            LaneReason reason = excess.to() == Lane.DELAY ? LaneReason.CAPPED : LaneReason.EXCESS;
            settlement.move(excess.item(), excess.to(), reason, excess.item().moves() + 1, excess.dueMillis());
        }
        return steps;
    }

    /** Ends waiting items whose time is over, with a look-up for each, and those whose attempts are stuck. */
    List<Step<T, A>> endOverdue(long nowMillis, long nowNanos) {
        steps.clear();
        dispatch.removeIf(item -> {
            Optional<Route> end = settlement.end(item, nowMillis);
            end.ifPresent(route -> settlement.setAside(item, route, nowMillis));
            return end.isPresent();
        }, nowNanos);
        early.expire(nowNanos, settlement::release);
        for (A attempt : running.stuck(nowNanos)) {
            quarantine.ended(attempt, true);
            settlement.giveUp(attempt);
        }
        running.takeBehindGivenUp().forEach(settlement::giveUp);
        return steps;
    }

    /** Ends an attempt: frees its slot and decides what happens to its item. A wait before a retry is random. */
    public List<Step<T, A>> ended(
            A attempt, Outcome result, RandomGenerator random, long nowMillis, long nowNanos) {
        steps.clear();
        quarantine.ended(attempt, !(result instanceof Outcome.Interrupted));
        if (attempt.slot != null) {
            if (result instanceof Outcome.Done || result instanceof Outcome.Dead) {
                dispatch.worked(attempt.slot, nowNanos);
            }
            dispatch.ended(attempt.slot, nowNanos);
        }
        if (!attempt.isRider()) {
            timeouts.ended(attempt.timeout, result, nowNanos - attempt.startedNanos);
        }
        settlement.settle(attempt, result, random, nowMillis);
        running.remove(attempt, nowNanos).ifPresent(waiting -> arrivals.admit(waiting, nowMillis));
        return steps;
    }

    /** Returns the state of a partition to commit now, and marks the partition as unchanged. */
    public ProgressState snapshot(EnginePartition partition) {
        return partition.snapshot(quarantine.markOf(partition), quarantine.groupEnd(partition));
    }

    /** Records that a snapshot is committed: starts the suspect it marks and releases held items below its horizon. */
    public List<Step<T, A>> committed(
            EnginePartition partition, ProgressState snapshot, long nowMillis, long nowNanos) {
        steps.clear();
        if (partition.leaving) {
            return steps;
        }
        partition.progress.committed(snapshot);
        quarantine.committedAlone(partition, snapshot).ifPresent(suspect ->
                starts.start(suspect, null, policies.policyOf(suspect), nowMillis, nowNanos));
        quarantine.committedGroup(partition, snapshot).forEach(suspect -> arrivals.admit(suspect, nowMillis));
        arrivals.admitHeld(partition, nowMillis);
        return steps;
    }

    /** Returns the claims of running attempts; used as the engine is. */
    public Claims<T, A> claims() {
        return claims;
    }

    /** Begins the revocation of partitions: removes their waiting items; running attempts continue. */
    public void leave(Collection<? extends EnginePartition> partitions, long nowNanos) {
        partitions.forEach(arrivals::leave);
        early.forget(partitions);
        dispatch.removeIf(item -> item.partition().leaving, nowNanos);
        running.forgetLeaving();
        quarantine.forgetLeaving();
    }

    /** Records that the attempts of these partitions ended or ignore their interrupt: the next snapshot is clean. */
    public void drained(Collection<? extends EnginePartition> partitions) {
        for (EnginePartition partition : partitions) {
            partition.drained = true;
            partition.markDirty();
        }
    }

    /** Removes lost partitions. Attempts that run keep their slots; items read again wait for their earlier attempt. */
    public List<Step<T, A>> forget(Collection<? extends EnginePartition> partitions, long nowNanos) {
        steps.clear();
        partitions.forEach(partition -> partition.gone = true);
        leave(partitions, nowNanos);
        running.abandon(nowNanos, steps);
        return steps;
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
        return OldestWaiting.of(dispatch, arrivals.held(), quarantine);
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

    private void decideOnSuspects(long nowMillis, long nowNanos) {
        quarantine.decide(item -> arrivals.isReady(item, policies.policyOf(item), nowMillis), nowMillis, nowNanos);
        dispatch.hold(quarantine.isolatedTenant());
    }
}
