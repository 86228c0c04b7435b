package io.spillway.sim;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.HotGuard;
import io.spillway.core.overload.LaneReport;
import io.spillway.core.overload.LeastLoaded;
import io.spillway.core.overload.PartitionBacklog;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.ratelimit.RateTable;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.routing.Route;
import io.spillway.core.routing.RoutingRules;
import io.spillway.core.sharding.DedicationPlan;
import io.spillway.core.sharding.PartitionPlacement;
import io.spillway.core.sharding.ShuffleSharder;
import io.spillway.core.sharding.VirtualSlots;
import io.spillway.sim.scenario.SimulatedCluster;
import io.spillway.sim.scenario.SimulatedTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Router: applies the routing rules to arrivals and due items, and selects the least loaded partition of the tenant's
 * shard. Workers can read the result when its transaction commits.
 *
 * <p>Owner: the model. Bound: the items of one transaction and of the delay lane.
 */
final class SimRouter {
    /** The default of {@code router.maxTenants}. */
    private static final int MAX_RATES = 1_000_000;

    private final Population population;
    private final Tally tally;
    private final SimulatedPartition[][] lanes;
    private final RateTable rates = new RateTable(MAX_RATES);
    private final HotGuard protection;
    private final PartitionPlacement placement;
    private final int[] candidates = new int[PartitionPlacement.MAX_PARTITIONS];
    private final LeastLoaded[] selectors;
    private final PartitionBacklog[] backlogs;
    private final long stuckAfterMillis;
    private final SimDelay[] delays;
    private List<Routed> open = new ArrayList<>();
    private long turn;

    private record Routed(SimulatedItem item, SimulatedPartition to) {}

    SimRouter(Tally tally, SimulatedCluster cluster, SimulatedPartition[][] lanes) {
        this.population = tally.population;
        this.tally = tally;
        this.lanes = lanes;
        this.stuckAfterMillis = cluster.stuckAfterMillis();
        this.protection = new HotGuard(cluster.protection());
        int partitions = cluster.partitions();
        this.delays = new SimDelay[partitions];
        Arrays.setAll(delays, i -> new SimDelay(population, i, partitions));
        this.selectors = new LeastLoaded[lanes.length];
        this.backlogs = new PartitionBacklog[lanes.length];
        for (int lane = 0; lane < lanes.length; lane++) {
            selectors[lane] = new LeastLoaded(partitions);
            backlogs[lane] = PartitionBacklog.unknown(0);
        }
        this.placement = new PartitionPlacement(
                new ShuffleSharder(partitions, cluster.shardSeed()),
                VirtualSlots.spread(partitions, partitions),
                DedicationPlan.of(dedicated(), partitions, DedicationPlan.leastShared(partitions), cluster.shardSeed())
                        .dedication());
    }

    /** Routes an item from ingress. */
    void arrive(SimulatedItem item, long nowNanos) {
        Route route = decide(item, nowNanos);
        // It counts in its lane from now on, although workers cannot read it yet.
        tally.entered(item, route instanceof Route.ToLane to ? to.lane() : Lane.HOT);
        apply(item, route);
    }

    void delay(SimulatedItem item, long dueMillis) {
        delays[item.currentPartition.index].add(dueMillis, item);
    }

    /** Routes the items that leave the delay lane again. */
    void fireTimers(long nowNanos) {
        for (SimDelay delay : delays) {
            delay.leave(SimulatedTime.epochMillis(nowNanos), item -> {
                Route route = decide(item, nowNanos);
                if (route instanceof Route.ToLane to) {
                    tally.moved(item, to.lane());
                }
                apply(item, route);
            });
        }
    }

    /** Returns when the delay lane is next to be looked at, epoch milliseconds; {@link Long#MAX_VALUE} for never. */
    long nextDueMillis(long nowMillis) {
        return Arrays.stream(delays).mapToLong(delay -> delay.nextMillis(nowMillis)).min().orElse(Long.MAX_VALUE);
    }

    /** Passes a worker's report to every partition of the delay lane. */
    void counted(List<AttemptCounts> counts, long nowNanos) {
        for (SimDelay delay : delays) {
            delay.counted(counts, SimulatedTime.epochMillis(nowNanos));
        }
    }

    boolean hasOpen() {
        return !open.isEmpty();
    }

    /** Commits the transaction: workers can read its items. */
    void commit() {
        for (Routed routed : open) {
            routed.to().append(routed.item());
        }
        open.clear();
    }

    /** Reads the backlog of hot and overflow; like the real router, it does not read aged. */
    void readBacklogs(long nowNanos) {
        for (int lane = 0; lane < Lane.AGED.ordinal(); lane++) {
            backlogs[lane] = backlogs[lane].next(
                    Arrays.stream(lanes[lane]).mapToLong(SimulatedPartition::waiting).toArray(),
                    Arrays.stream(lanes[lane]).mapToLong(SimulatedPartition::finished).toArray(),
                    SimulatedTime.epochMillis(nowNanos), stuckAfterMillis);
        }
    }

    /** Applies the workers' reports on hot. */
    void applyReports(List<LaneReport> reports, long nowNanos) {
        protection.update(reports, backlogs[Lane.HOT.ordinal()], 1, SimulatedTime.epochMillis(nowNanos));
    }

    void prune(long nowNanos) {
        rates.prune(SimulatedTime.epochMillis(nowNanos) * SimulatedTime.NANOS_PER_MILLI);
        for (SimDelay delay : delays) {
            delay.prune(SimulatedTime.epochMillis(nowNanos));
        }
    }

    private Route decide(SimulatedItem item, long nowNanos) {
        TenantContext tenant = population.context(item.tenant);
        return RoutingRules.route(
                tenant, item.workload, item.enqueuedAtMillis(), item.enqueuedAtMillis(), item.attempts > 0,
                tenant.policy().rateLimit(),
                population.sweptBeforeMillis(item.tenant, nowNanos), SimulatedTime.epochMillis(nowNanos), rates,
                protection);
    }

    private void apply(SimulatedItem item, Route route) {
        switch (route) {
            case Route.ToLane to -> open.add(new Routed(item, select(item, to.lane())));
            case Route.Drop drop -> tally.dropped(item, drop.reason());
            case Route.DeadLetter dead -> tally.dead(item, dead);
        }
    }

    private SimulatedPartition select(SimulatedItem item, Lane lane) {
        int at = lane.ordinal();
        int count = placement.partitions(
                item.tenantName, item.workload, population.policy(item.tenant).shardSize(),
                PartitionPlacement.WORKLOAD_SHARE, Optional.empty(), candidates);
        return lanes[at][selectors[at].choose(candidates, count, backlogs[at], turn++)];
    }

    private SortedMap<String, Integer> dedicated() {
        SortedMap<String, Integer> dedicated = new TreeMap<>();
        for (int group = 0; group < population.groups().size(); group++) {
            int own = population.groups().get(group).policy().dedicated();
            for (int tenant = population.first(group); tenant < population.first(group + 1) && own > 0; tenant++) {
                dedicated.put(population.name(tenant), own);
            }
        }
        return dedicated;
    }
}
