package io.spillway.core.scheduling;

import io.spillway.core.policy.NamedDestination;
import io.spillway.core.policy.TenantPolicy;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Limits of what several tenants or workloads call.
 *
 * <p>A node whose turn it is while its destination may start nothing is put aside. As soon as the destination may,
 * those that were put aside first get their turns again, up to one that may take any free slot: an item of it starts
 * next. The others would only find the limit reached again, which for thousands of tenants costs more than what they
 * do. The ones before it hold at least a slot each, so they are few. Whether one has started is looked at again in
 * {@link StartRate#LEAST_WAIT_NANOS}, and the next one gets its turn.
 *
 * <p>Owner: {@link FairDispatch}. Bound: those with items, and {@link #MAX_IDLE} without.
 */
final class Destinations<T> {
    private static final int MAX_IDLE = 10_000;

    private final Map<String, DestinationNode<T>> byName = new HashMap<>();
    private final Pacing<T> pacing;
    /** Updates a tenant of which a node was put aside or gets its turn again. */
    private final Consumer<FairNode<T>> changed;
    /** Whether a limit has changed. */
    private boolean isAnyFree;

    Destinations(Pacing<T> pacing, Consumer<FairNode<T>> changed) {
        this.pacing = pacing;
        this.changed = changed;
    }

    /** Applies the policy of an item that is added to a leaf. */
    void follow(FairNode<T> leaf, TenantPolicy policy, MaxMinSlots shares) {
        DestinationNode<T> destination =
                policy.destination().isPresent() ? of(policy.destination().get(), shares) : null;
        // Of the workloads that share a leaf some may have none.
        boolean stays = destination == null && leaf.isShared && leaf.isBusy();
        if (leaf.destination != destination && !stays) {
            leaf.call(destination);
            changed.accept(leaf.tenant());
        }
    }

    private DestinationNode<T> of(NamedDestination named, MaxMinSlots shares) {
        DestinationNode<T> known = byName.get(named.name());
        if (known == null) {
            if (byName.size() >= MAX_IDLE) {
                byName.values().removeIf(idle -> !idle.isBusy() && !idle.isInPacing);
            }
            known = new DestinationNode<>(named.name());
            byName.put(named.name(), known);
        }
        boolean wasAtCap = known.isAtCap();
        known.limit(
                named.limits().concurrency(), StartRate.thousandths(named.limits().attemptRate()), shares);
        isAnyFree |= wasAtCap && !known.isAtCap();
        return known;
    }

    /** Puts a leaf aside whose destination may start nothing now; returns whether it is so. */
    boolean putsAside(FairNode<T> leaf) {
        DestinationNode<T> destination = leaf.destination;
        if (destination == null || !destination.isAtCap()) {
            return false;
        }
        leaf.putAside(true);
        changed.accept(leaf.tenant());
        return true;
    }

    /** Follows that a destination may have a start left. */
    void free(DestinationNode<T> destination, long nowNanos) {
        if (destination.aside.isEmpty() || destination.isAtCap()) {
            return;
        }
        boolean startsNext = false;
        while (!startsNext && !destination.aside.isEmpty()) {
            FairNode<T> leaf = destination.aside.getFirst();
            leaf.putAside(false);
            changed.accept(leaf.tenant());
            startsNext = leaf.tenant().standing == FairNode.Standing.WITHIN
                    && leaf.standing == FairNode.Standing.WITHIN;
        }
        if (!destination.aside.isEmpty()) {
            pacing.lookAgain(destination, nowNanos + StartRate.LEAST_WAIT_NANOS);
        }
    }

    /** Records a start, which has left its leaf. */
    void started(SlotLease<T> start, long nowNanos) {
        DestinationNode<T> destination = start.queue.node.destination;
        start.destination = destination;
        if (destination != null) {
            if (start.isRider()) {
                destination.riderStarted(nowNanos);
            } else {
                destination.attemptStarted(nowNanos);
            }
            pacing.started(destination, nowNanos);
            free(destination, nowNanos);
        }
    }

    void ended(SlotLease<T> start, double millis, long nowNanos) {
        if (start.destination != null) {
            left(start);
            start.destination.attemptEnded(millis);
            free(start.destination, nowNanos);
        }
    }

    void cancelled(SlotLease<T> start, long nowNanos) {
        if (start.destination != null) {
            left(start);
            start.destination.startCancelled();
            free(start.destination, nowNanos);
        }
    }

    private void left(SlotLease<T> start) {
        if (start.isRider()) {
            start.destination.riderLeft();
        } else {
            start.destination.attemptLeft(start.startedNanos);
        }
    }

    /** As {@link FairDispatch#share}, to which it adds its own. */
    Map<String, MaxMinSlots.Demand> share(MaxMinSlots next, Map<String, MaxMinSlots.Demand> demands) {
        byName.values().stream().filter(DestinationNode::isBusy).forEach(busy -> busy.share(next, demands));
        isAnyFree = true;
        return demands;
    }

    /** Follows changed limits. */
    void freeChanged(long nowNanos) {
        if (isAnyFree) {
            isAnyFree = false;
            byName.values().forEach(destination -> free(destination, nowNanos));
        }
    }

    /** As {@link FairDispatch#limitsAtCap}, to which it adds its own. */
    Set<String> withLimitsAtCap(Set<String> keys) {
        byName.values().forEach(destination -> destination.addLimitsAtCap(keys));
        return keys;
    }
}
