package io.spillway.core.routing;

import io.spillway.core.policy.RateLimit;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.RateTable;
import java.util.Optional;

/**
 * Routing decision of an item that is not cancelled, by the first rule that applies: its end, a pause and its age
 * ({@link ItemEnds}), a time of its first attempt in the future, its tenant's rate, and otherwise hot. Then
 * {@link ItemPlacement} selects the partition. Safe for any number of threads.
 */
public final class ItemRouter {
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** Urgent items of a tenant that go to hot although it has more than it may: one a second, 60 at once. */
    private static final RateLimit URGENT = RateLimit.of(1, 60);

    private static final Optional<Route> SCHEDULED = Optional.of(Route.SCHEDULED);

    private final ItemEnds ends;
    private final Limits limits;
    private final RateTable rates;
    private final ItemPlacement placement;

    /** Rate limits in force. */
    @FunctionalInterface
    public interface Limits {
        /** Returns the configured or grown limit of a tenant; empty for none. */
        Optional<RateLimit> of(String tenant, TenantPolicy policy);
    }

    /** Creates the decision of one process. */
    public ItemRouter(ItemEnds ends, Limits limits, RateTable rates, ItemPlacement placement) {
        this.ends = ends;
        this.limits = limits;
        this.rates = rates;
        this.placement = placement;
    }

    /**
     * Returns where an item goes, and counts it there. The rate limiter counts only items that no earlier rule takes.
     *
     * @param workload its workload within the tenant, empty for none
     */
    public ItemPlacement.Placed route(TenantContext tenant, String workload, ItemTimes times, long nowMillis) {
        return placement.place(decide(tenant, workload, times, nowMillis), tenant, workload, times.attempted(),
                nowMillis);
    }

    /** Returns the lane of an item, or its end; not the partition, with which the lane may become another. */
    public Route decide(TenantContext tenant, String workload, ItemTimes times, long nowMillis) {
        Optional<Route> early = early(tenant, workload, times, nowMillis);
        if (early.isPresent()) {
            return early.get();
        }
        Optional<RateLimit> limit = limits.of(tenant.name(), tenant.policy());
        if (limit.isPresent() && !rates.admit(tenant, limit.get(), nowMillis * NANOS_PER_MILLI)) {
            return Route.OVERFLOW;
        }
        return hot(times);
    }

    /**
     * Returns where an item goes for a reason other than its tenant's rate: its end, delay while it is paused or
     * scheduled, or aged; empty for none. It counts nothing.
     */
    public Optional<Route> early(TenantContext tenant, String workload, ItemTimes times, long nowMillis) {
        Optional<Route> end = ends.now(tenant.name(), workload, times, tenant.policy(), nowMillis);
        boolean isScheduled = times.ageSinceMillis() > nowMillis;
        // Whether a scheduled item is paused matters only when it is due.
        return end.isPresent() && !(isScheduled && end.get().equals(Route.PAUSED)) ? end
                : isScheduled ? SCHEDULED : Optional.empty();
    }

    private static Route.ToLane hot(ItemTimes times) {
        return times.attempted() ? Route.RETRIED : times.dueMillis() > 0 ? Route.DUE : Route.HOT;
    }

    /**
     * Returns where an urgent item goes that {@link #route} sends to overflow: to hot, where no backlog of its tenant
     * waits, as far as its tenant's budget of this process allows. Other tenants' items are not affected: hot shares
     * its slots among tenants.
     */
    public ItemPlacement.Placed urgent(
            TenantContext tenant, String workload, ItemTimes times, ItemPlacement.Placed excess, long nowMillis) {
        return rates.admitUrgent(tenant, URGENT, nowMillis * NANOS_PER_MILLI)
                ? placement.placeUrgent(hot(times), tenant, workload, nowMillis) : excess;
    }
}
