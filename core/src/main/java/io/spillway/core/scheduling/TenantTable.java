package io.spillway.core.scheduling;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Tenants known to the scheduler, and which of them are active: with an item waiting or in flight within the last 10
 * seconds. This delay keeps fair shares stable while quiet tenants come and go. A tenant that has been alone for that
 * time is the only active one (see {@link SlotPool}).
 *
 * <p>Owner: {@link FairDispatch}. Bound: the busy tenants, themselves bounded by slots and read-ahead, and
 * {@link #MAX_IDLE} idle ones; beyond it the longest idle tenant is removed, with its estimates.
 */
final class TenantTable<T> {
    static final int MAX_IDLE = 10_000;
    static final long ACTIVE_NANOS = 10_000_000_000L;

    final Map<String, FairNode<T>> tenants = new HashMap<>();
    /** Idle tenants by idle time, and the first of them that is still active. */
    private FairNode<T> longestIdle;
    private FairNode<T> lastIdle;
    private FairNode<T> firstActive;
    private int idle;
    int active;
    double activeWeight;
    private Optional<String> held = Optional.empty();

    /** Returns the tenant, marks it as busy and sets its weight; creates it when it is unknown. */
    FairNode<T> busy(String name, double weight) {
        FairNode<T> tenant = tenants.get(name);
        if (tenant == null) {
            tenant = new FairNode<>(name, weight);
            tenants.put(name, tenant);
            activate(tenant);
        } else if (tenant.idle) {
            unlink(tenant);
            if (!tenant.active) {
                activate(tenant);
            }
        }
        activeWeight += weight - tenant.weight;
        tenant.weight = weight;
        tenant.isHeld = held.isPresent() && held.get().equals(name);
        return tenant;
    }

    /** Marks a tenant without items as idle. */
    void idle(FairNode<T> tenant, long nowNanos) {
        tenant.idle = true;
        tenant.idleSinceNanos = nowNanos;
        tenant.idleBefore = lastIdle;
        if (lastIdle == null) {
            longestIdle = tenant;
        } else {
            lastIdle.idleAfter = tenant;
        }
        lastIdle = tenant;
        firstActive = firstActive == null ? tenant : firstActive;
        if (++idle > MAX_IDLE) {
            FairNode<T> forgotten = longestIdle;
            if (forgotten.active) {
                deactivate(forgotten);
            }
            unlink(forgotten);
            tenants.remove(forgotten.name);
        }
    }

    /** Deactivates tenants that have been idle for {@link #ACTIVE_NANOS}. */
    void expire(long nowNanos) {
        while (firstActive != null && nowNanos - firstActive.idleSinceNanos >= ACTIVE_NANOS) {
            FairNode<T> rested = firstActive;
            firstActive = rested.idleAfter;
            deactivate(rested);
            rested.rest();
        }
    }

    /** As {@link FairDispatch#hold(Optional)}; passes each tenant that has changed. */
    void hold(Optional<String> next, Consumer<FairNode<T>> changed) {
        if (!next.equals(held)) {
            held.ifPresent(before -> setHeld(before, false, changed));
            next.ifPresent(now -> setHeld(now, true, changed));
            held = next;
        }
    }

    private void setHeld(String name, boolean isHeld, Consumer<FairNode<T>> changed) {
        FairNode<T> tenant = tenants.get(name);
        if (tenant != null) {
            tenant.isHeld = isHeld;
            changed.accept(tenant);
        }
    }

    /** As {@link FairDispatch#share}; passes each tenant of which a limit has changed. */
    Map<String, MaxMinSlots.Demand> share(MaxMinSlots next, Consumer<FairNode<T>> changed) {
        Map<String, MaxMinSlots.Demand> demands = new HashMap<>();
        for (FairNode<T> tenant : tenants.values()) {
            if (tenant.isBusy() && tenant.share(next, demands)) {
                changed.accept(tenant);
            }
        }
        return demands;
    }

    /** As {@link FairDispatch#limitsAtCap}. */
    Set<String> limitsAtCap() {
        Set<String> keys = new HashSet<>();
        tenants.values().forEach(tenant -> tenant.addLimitsAtCap(keys));
        return keys;
    }

    private void activate(FairNode<T> tenant) {
        tenant.active = true;
        active++;
        activeWeight += tenant.weight;
    }

    private void deactivate(FairNode<T> tenant) {
        tenant.active = false;
        active--;
        // Resets the rounding errors of the sum.
        activeWeight = active == 0 ? 0 : activeWeight - tenant.weight;
    }

    private void unlink(FairNode<T> tenant) {
        if (tenant == firstActive) {
            firstActive = tenant.idleAfter;
        }
        if (tenant.idleBefore == null) {
            longestIdle = tenant.idleAfter;
        } else {
            tenant.idleBefore.idleAfter = tenant.idleAfter;
        }
        if (tenant.idleAfter == null) {
            lastIdle = tenant.idleBefore;
        } else {
            tenant.idleAfter.idleBefore = tenant.idleBefore;
        }
        tenant.idle = false;
        tenant.idleBefore = null;
        tenant.idleAfter = null;
        idle--;
    }
}
