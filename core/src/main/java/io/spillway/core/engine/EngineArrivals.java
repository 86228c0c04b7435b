package io.spillway.core.engine;

import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.progress.ReadVerdict;
import io.spillway.core.routing.Route;
import io.spillway.core.scheduling.FairDispatch;
import io.spillway.core.scheduling.SlotLease;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/**
 * Way of items from their records to the scheduler: what was finished before, can not be read or is too old does not
 * get there, suspects go to the quarantine, and what no commit covers yet is held until one does.
 *
 * <p>Owner: the {@link WorkerEngine}. Bound: its read-ahead.
 */
final class EngineArrivals<T extends EngineItem, A extends EngineAttempt<T>> {
    /** Items of hot that wait for a slot, from which on each new one waits for its commit: it would wait anyway. */
    private static final int MOST_WAITING = 100;
    /** Workers that were lost with an item, from which on it is a suspect. */
    private static final int LOSSES_OF_SUSPECTS = 2;
    /** Shorter leases of a lost worker are not waited for: an item may then run there, cut off, and here. */
    static final long LONG_LEASE_MILLIS = 30_000;

    private final FairDispatch<T> dispatch;
    private final ItemPolicies<T> policies;
    private final Settlement<T, A> settlement;
    private final Quarantine<T, A> quarantine;
    private final RunningAttempts<T, A> running;
    private final EarlyItems<T, A> early;
    private final List<Step<T, A>> steps;
    private final boolean findsSuspects;
    /** Items at or above the committed horizon of their partition, by offset, until a commit raises it. */
    private final Map<EnginePartition, Queue<T>> held = new HashMap<>();

    EngineArrivals(
            FairDispatch<T> dispatch, ItemPolicies<T> policies, Settlement<T, A> settlement,
            Quarantine<T, A> quarantine, RunningAttempts<T, A> running, EarlyItems<T, A> early,
            List<Step<T, A>> steps, boolean findsSuspects) {
        this.dispatch = dispatch;
        this.policies = policies;
        this.settlement = settlement;
        this.quarantine = quarantine;
        this.running = running;
        this.early = early;
        this.steps = steps;
        this.findsSuspects = findsSuspects;
    }

    /** As {@link WorkerEngine#received}. */
    void received(EnginePartition partition, List<T> items, long nextOffset, long nowMillis) {
        partition.relocates = false;
        for (int i = 0; i < items.size() && !partition.leaving; i++) {
            T item = items.get(i);
            if (partition.progress.isCutAt(item.offset(), items.size() - i)) {
                partition.positionedAt(item.offset());
                return;
            }
            ReadVerdict verdict = partition.delivered(item.offset());
            if (early.contains(item)) {
                early.confirm(item).ifPresent(end -> settlement.end(item, end));
            } else if (verdict != ReadVerdict.FINISHED) {
                hold(item);
                if (item.unreadable().isPresent()) {
                    settlement.setAside(item, item.unreadable().get(), nowMillis);
                } else if (findsSuspects && isSuspect(item, verdict) && !policies.isMisplaced(item)) {
                    suspect(item, verdict, nowMillis);
                } else {
                    admit(item, nowMillis);
                }
            }
        }
        partition.positionedAt(nextOffset);
    }

    private static boolean isSuspect(EngineItem item, ReadVerdict verdict) {
        return verdict == ReadVerdict.SUSPECT || item.losses() >= LOSSES_OF_SUSPECTS;
    }

    /**
     * Puts a suspect into the quarantine. One that may have had a long lease when its worker was lost waits in
     * delay until that lease has certainly ended, because that worker may only be cut off.
     */
    private void suspect(T item, ReadVerdict verdict, long nowMillis) {
        TenantPolicy policy = policies.policyOf(item);
        boolean mayRun = verdict == ReadVerdict.SUSPECT && policy.timeoutMillis() > LONG_LEASE_MILLIS
                && !item.partition().isAccused(item.offset());
        if (mayRun && settlement.staleness(item, policy, nowMillis).isEmpty()) {
            settlement.move(item, Lane.DELAY, LaneReason.LOST, item.moves(), nowMillis + policy.timeoutMillis());
        } else {
            quarantine.add(item);
        }
    }

    boolean mayStartEarly(EnginePartition partition) {
        return partition.mayStartEarly() && !isBusy() && quarantine.isIdle();
    }

    boolean isBusy() {
        return !dispatch.hasFreeSlot() || dispatch.waiting(Lane.HOT) >= MOST_WAITING;
    }

    /**
     * Offers an item whose record is not committed, if it may start now: it must be withdrawn if it does not. Not with
     * a long lease, because the item comes again elsewhere if its router is cut off.
     */
    Optional<SlotLease<T>> offerEarly(T item, long nowMillis, long nowNanos) {
        EnginePartition partition = item.partition();
        TenantPolicy policy = policies.policyOf(item);
        boolean isFresh = item.attempts() == 0 && item.moves() == 0 && item.unreadable().isEmpty()
                && policy.timeoutMillis() <= LONG_LEASE_MILLIS;
        boolean mayStart = isFresh && mayStartEarly(partition) && !dispatch.isWaiting(item.tenant())
                && !early.contains(item) && !early.isStalled(partition, nowNanos)
                && dispatch.hasRoom(partition.lane(), partition.unfinished() + early.count(partition),
                        partition.unfinishedBytes())
                && settlement.staleness(item, policy, nowMillis).isEmpty();
        return mayStart ? Optional.of(offer(item, policy)) : Optional.empty();
    }

    /** Lets an item wait for a slot, or for a commit, unless it is too old. */
    void admit(T item, long nowMillis) {
        TenantPolicy policy = policies.policyOf(item);
        if (!isReady(item, policy, nowMillis)) {
            return;
        }
        EnginePartition partition = item.partition();
        if (partition.progress.mayStart(item.offset())) {
            offer(item, policy);
        } else {
            held.computeIfAbsent(partition, absent -> new ArrayDeque<>()).add(item);
            partition.markDirty();
            steps.add(new Step.Commit<>());
        }
    }

    /** Admits what was held and is below the committed horizon now. */
    void admitHeld(EnginePartition partition, long nowMillis) {
        Queue<T> queue = held.get(partition);
        while (queue != null && !queue.isEmpty() && partition.progress.mayStart(queue.peek().offset())) {
            admit(queue.remove(), nowMillis);
        }
    }

    /** Returns whether an item can go on; otherwise its age has moved it, or it waits for its earlier attempt. */
    boolean isReady(T item, TenantPolicy policy, long nowMillis) {
        Optional<Route> stale = settlement.staleness(item, policy, nowMillis).filter(to -> quarantine.mayGo(item, to));
        stale.ifPresent(route -> settlement.setAside(item, route, nowMillis));
        return stale.isEmpty() && !running.waitBehind(item);
    }

    /** Begins the revocation of a partition: nothing of it counts in the read-ahead any more. */
    void leave(EnginePartition partition) {
        int items = partition.leaving ? 0 : partition.unfinished() + early.count(partition);
        partition.leaving = true;
        dispatch.hold(partition.lane(), -items, -partition.releaseAll());
        held.remove(partition);
    }

    /** Returns the items that wait for a commit. */
    Collection<Queue<T>> held() {
        return held.values();
    }

    /** Counts an item in the read-ahead, until it is released. */
    void hold(T item) {
        item.partition().hold(item.bytes());
        dispatch.hold(item.partition().lane(), 1, item.bytes());
    }

    private SlotLease<T> offer(T item, TenantPolicy policy) {
        return dispatch.offer(item.partition().lane(), item.tenant(), item.workload(), policy, item, item.moves(),
                item.priority(), item.freshSinceMillis());
    }
}
