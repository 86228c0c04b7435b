package io.spillway.router.route;

import io.spillway.core.overload.HotGuard;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.RateTable;
import io.spillway.core.routing.Route;
import io.spillway.core.routing.RoutingRules;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;

/** The routing rules with the policies, sweeps, rates and shards in force now. */
public final class ItemRules {
    /** Stands for an item that was never replayed. */
    static final long NEVER_REPLAYED = Long.MIN_VALUE;

    private final TenantPolicies policies;
    private final Sweeps sweeps;
    private final RateTable rates;
    private final GrownLimits limits;
    private final HotGuard guard;
    private final RouterMetrics metrics;
    private final PartitionSelector placer;
    private final ShardDemand demand;

    public ItemRules(
            TenantPolicies policies, Sweeps sweeps, RateTable rates, GrownLimits limits, HotGuard guard, RouterMetrics metrics,
            PartitionSelector placer, ShardDemand demand) {
        this.policies = policies;
        this.sweeps = sweeps;
        this.rates = rates;
        this.limits = limits;
        this.guard = guard;
        this.metrics = metrics;
        this.placer = placer;
        this.demand = demand;
    }

    /**
     * Decides on an item. Sweeps count from when it was enqueued; time to live and age from the later of that and its
     * replay.
     *
     * @param replayedAtMillis epoch milliseconds, in the future counts as now, or {@link #NEVER_REPLAYED}
     * @param nowMillis        epoch milliseconds
     */
    Decision decide(ParsedRecord.Item item, long replayedAtMillis, long nowMillis) {
        long saidMillis = item.enqueuedAtMillis();
        boolean plausible = RoutingRules.isPlausible(saidMillis, nowMillis);
        if (!plausible) {
            metrics.clockSkew(saidMillis, nowMillis);
        }
        long enqueuedAtMillis = plausible ? saidMillis : nowMillis;
        long freshSinceMillis = Math.max(enqueuedAtMillis, Math.min(replayedAtMillis, nowMillis));
        String tenant = item.tenant();
        TenantPolicy policy = policies.of(tenant);
        long sweepStartMillis = policy.sweepable()
                ? sweeps.coveredBeforeMillis(tenant, nowMillis)
                : RoutingRules.NO_SWEEP_MILLIS;
        Route route = RoutingRules.route(
                tenant, enqueuedAtMillis, freshSinceMillis, policy, limits.of(tenant, policy), sweepStartMillis, nowMillis, rates, guard);
        metrics.sidelined(tenant, route);
        long correctedAtMillis = plausible ? Decision.AS_IT_IS : nowMillis;
        if (!(route instanceof Route.ToLane to)) {
            return new Decision(tenant, route, item.hasInternalHeaders(), correctedAtMillis);
        }
        int partition = placer.place(to.lane(), tenant, item.workload(), policy);
        int slots = demand.slotsToAskFor(tenant, policy, nowMillis);
        Decision.Ask ask = slots == 0 ? Decision.Ask.NOTHING : new Decision.Ask(tenant, slots);
        return new Decision(tenant, route, item.hasInternalHeaders(), correctedAtMillis, partition, ask);
    }
}
