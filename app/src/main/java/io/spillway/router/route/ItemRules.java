package io.spillway.router.route;

import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.RateTable;
import io.spillway.core.routing.ItemPlacement;
import io.spillway.core.routing.Route;
import io.spillway.core.routing.RoutingRules;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.view.GrownLimits;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import java.util.function.LongSupplier;

/**
 * Routing rules with the policies, sweeps, rates and shards currently in force.
 *
 * @param clockAheadMillis by how much the clock went forward at once, 0 or more; read only for an item that would be
 *                         dropped, ended or aged
 */
public record ItemRules(
        TenantPolicies policies, Sweeps sweeps, RateTable rates, GrownLimits limits, ItemPlacement placement,
        RouterMetrics metrics, ShardDemand demand, LongSupplier clockAheadMillis) {
    /**
     * Decides where an item goes. A sweep compares its enqueue time and its entry; time to live, end and age count from
     * the later of its enqueue time and {@code notBeforeMillis}. While that is in the future, the item waits for it
     * unless it is swept.
     *
     * @param enteredAtMillis  time at which the broker appended it to ingress, epoch milliseconds
     * @param notBeforeMillis  time of its replay or of its first attempt as its producer set it, 0 or more; 0 for
     *                         none. Epoch milliseconds
     * @param attempted        whether an attempt was made, since its replay if there is one
     * @param nowMillis        epoch milliseconds
     */
    Decision decide(
            ParsedRecord.Item item, long enteredAtMillis, long notBeforeMillis, boolean attempted, long nowMillis) {
        long claimedMillis = item.enqueuedAtMillis();
        boolean plausible = RoutingRules.isPlausible(claimedMillis, nowMillis);
        if (!attempted) {
            metrics.entered(item.tenant(), claimedMillis, enteredAtMillis);
        }
        if (!plausible) {
            metrics.clockSkew(item.tenant(), claimedMillis, nowMillis);
        }
        long enqueuedAtMillis = plausible ? claimedMillis : nowMillis;
        long freshSinceMillis = Math.max(enqueuedAtMillis, notBeforeMillis);
        String tenant = item.tenant();
        TenantContext context = policies.context(tenant);
        long sweepAtMillis = RoutingRules.sweepAtMillis(enqueuedAtMillis, enteredAtMillis);
        Route route = route(context, item.workload(), sweepAtMillis, freshSinceMillis, attempted, nowMillis, 0);
        if (!(route instanceof Route.ToLane) || route.equals(Route.AGED)) {
            long aheadMillis = clockAheadMillis.getAsLong();
            route = aheadMillis == 0 ? route
                    : route(context, item.workload(), sweepAtMillis, freshSinceMillis, attempted, nowMillis,
                            aheadMillis);
        }
        ItemPlacement.Placed placed = placement.place(route, context, item.workload(), attempted, nowMillis);
        route = placed.route();
        metrics.sidelined(tenant, route);
        long correctedAtMillis = plausible ? Decision.UNCHANGED : nowMillis;
        if (!(route instanceof Route.ToLane)) {
            return new Decision(context, route, item.hasInternalHeaders(), correctedAtMillis);
        }
        return new Decision(context, route, item.hasInternalHeaders(), correctedAtMillis, placed.partition(),
                demand.isToRequest(tenant, nowMillis));
    }

    /** Applies the rules with ages as they were without the clock's step. */
    private Route route(
            TenantContext context, String workload, long sweepAtMillis, long freshSinceMillis, boolean attempted,
            long nowMillis, long aheadMillis) {
        TenantPolicy policy = context.policy();
        long coveredBeforeMillis = policy.sweepable()
                ? sweeps.coveredBeforeMillis(
                        context.name(), workload, policy.sweepMarginMillis(), nowMillis - aheadMillis)
                : RoutingRules.NO_SWEEP_MILLIS;
        if (freshSinceMillis > nowMillis) {
            // Whether it is paused matters only when it is due.
            return RoutingRules.staleness(
                    sweepAtMillis, freshSinceMillis, attempted, policy, workload, coveredBeforeMillis, nowMillis)
                    .filter(route -> !route.equals(Route.PAUSED)).orElse(Route.SCHEDULED);
        }
        return RoutingRules.route(
                context, workload, sweepAtMillis, freshSinceMillis + aheadMillis, attempted,
                limits.ofLanes(context.name(), policy), coveredBeforeMillis, nowMillis, rates);
    }

    /** Returns the decision to drop an item that is cancelled. */
    Decision cancelled(ParsedRecord.Item item) {
        metrics.sidelined(item.tenant(), Route.CANCELLED);
        return new Decision(
                policies.context(item.tenant()), Route.CANCELLED, item.hasInternalHeaders(), Decision.UNCHANGED);
    }
}
