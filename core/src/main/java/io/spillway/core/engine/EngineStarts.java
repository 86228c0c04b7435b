package io.spillway.core.engine;

import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptTimeout;
import io.spillway.core.retry.AttemptTimeouts;
import io.spillway.core.retry.DestinationHealth;
import io.spillway.core.routing.Route;
import io.spillway.core.scheduling.FairDispatch;
import io.spillway.core.scheduling.SlotLease;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

/**
 * Starts of attempts: what the scheduler gives a slot starts, alone or with riders, unless it has become too old or the
 * quarantine takes it back.
 *
 * <p>Riders are items that wait now: a slot that waited for more would be idle, and a tenant with few items would wait
 * longest. Under load items wait, and so the batches are large. An item that was attempted, was running when a worker
 * was lost, or is a suspect never rides: after a call for several has failed, each of its items goes alone.
 *
 * <p>Owner: the {@link WorkerEngine}.
 */
final class EngineStarts<T extends EngineItem, A extends EngineAttempt<T>> {
    private final FairDispatch<T> dispatch;
    private final ItemPolicies<T> policies;
    private final Settlement<T, A> settlement;
    private final Quarantine<T, A> quarantine;
    private final RunningAttempts<T, A> running;
    private final AttemptTimeouts timeouts;
    private final EngineAttempt.Factory<T, A> attempts;
    private final ToIntFunction<T> batchItems;
    private final List<Step<T, A>> steps;
    private boolean hasTakenBack;

    EngineStarts(
            FairDispatch<T> dispatch, ItemPolicies<T> policies, Settlement<T, A> settlement,
            Quarantine<T, A> quarantine, RunningAttempts<T, A> running, AttemptTimeouts timeouts,
            EngineAttempt.Factory<T, A> attempts, ToIntFunction<T> batchItems, List<Step<T, A>> steps) {
        this.dispatch = dispatch;
        this.policies = policies;
        this.settlement = settlement;
        this.quarantine = quarantine;
        this.running = running;
        this.timeouts = timeouts;
        this.attempts = attempts;
        this.batchItems = batchItems;
        this.steps = steps;
    }

    /** As {@link WorkerEngine#fillSlots}; returns whether the quarantine has taken an item back. */
    boolean fillSlots(boolean liveLanesCaughtUp, int most, long nowMillis, long nowNanos) {
        hasTakenBack = false;
        while (running.all().size() < most) {
            Optional<SlotLease<T>> slot = dispatch.take(liveLanesCaughtUp, nowNanos);
            if (slot.isEmpty()) {
                break;
            }
            T item = slot.get().item();
            TenantPolicy policy = policies.policyOf(item);
            if (mayStart(slot.get(), policy, nowMillis, nowNanos)) {
                A attempt = start(item, slot.get(), policy, nowMillis, nowNanos);
                int mostItems = batchItems.applyAsInt(item);
                if (mostItems > 1 && mayRide(item, nowMillis)) {
                    addRiders(attempt, mostItems - 1, nowMillis, nowNanos);
                }
            }
        }
        return hasTakenBack;
    }

    /** Starts an attempt; the slot is null for a suspect. */
    A start(T item, SlotLease<T> slot, TenantPolicy policy, long nowMillis, long nowNanos) {
        long blameToLast = (policy.attempts() - 1L) * DestinationHealth.WHOLE;
        AttemptTimeout timeout = timeouts.start(AttemptTimeouts.measuredAs(item.tenant(), item.workload(), policy),
                policy, item.attempts(), item.blameThousandths() >= blameToLast, nowMillis);
        A attempt = add(item, slot, policy, timeout, nowNanos);
        steps.add(new Step.Start<>(attempt));
        return attempt;
    }

    private void addRiders(A lead, int most, long nowMillis, long nowNanos) {
        for (int added = 0; added < most;) {
            Optional<SlotLease<T>> rider = dispatch.takeWith(lead.slot, item -> mayRide(item, nowMillis), nowNanos);
            if (rider.isEmpty()) {
                return;
            }
            T item = rider.get().item();
            TenantPolicy policy = policies.policyOf(item);
            if (mayStart(rider.get(), policy, nowMillis, nowNanos)) {
                // One call has one lease.
                A attempt = add(item, rider.get(), policy, lead.timeout, nowNanos);
                steps.add(new Step.Ride<>(lead, attempt));
                added++;
            }
        }
    }

    private A add(T item, SlotLease<T> slot, TenantPolicy policy, AttemptTimeout timeout, long nowNanos) {
        A attempt = attempts.create(item, slot, policy, timeout, nowNanos);
        running.add(attempt, nowNanos);
        quarantine.started(attempt);
        return attempt;
    }

    /** Returns whether an item may start that was taken; otherwise the start is taken back, and the item goes. */
    private boolean mayStart(SlotLease<T> taken, TenantPolicy policy, long nowMillis, long nowNanos) {
        T item = taken.item();
        // One before its commit was fresh when it was offered. A view may have changed since, but it cannot end yet.
        Optional<Route> stale = item.offset() < 0 ? Optional.empty() : settlement.staleness(item, policy, nowMillis);
        if (quarantine.hasEnoughOf(item, nowMillis)) {
            dispatch.cancelled(taken, nowNanos);
            settlement.putOff(item, nowMillis);
            return false;
        }
        if (quarantine.takesBack(item, nowMillis)) {
            dispatch.cancelled(taken, nowNanos);
            hasTakenBack = true;
            return false;
        }
        if (stale.isPresent()) {
            dispatch.cancelled(taken, nowNanos);
            settlement.setAside(item, stale.get(), nowMillis);
        }
        return stale.isEmpty();
    }

    /** An item that a failed call for several would leave too little time for an attempt of its own goes alone too. */
    private boolean mayRide(T item, long nowMillis) {
        return item.attempts() == 0 && item.losses() == 0 && !quarantine.isMember(item)
                && item.partition().deathsWith(item.offset()) == 0
                && 2 * (nowMillis - item.times().ageSinceMillis()) < policies.policyOf(item).retryForMillis();
    }
}
