package io.spillway.sim;

import io.spillway.core.item.Lane;
import io.spillway.core.item.PoolName;
import io.spillway.core.overload.Fleet;
import io.spillway.core.overload.LaneBacklogs;
import io.spillway.core.overload.LaneProgress;
import io.spillway.core.overload.PartitionBacklog;
import io.spillway.core.overload.WorkerReport;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.ratelimit.RateTable;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.ItemPlacement;
import io.spillway.core.routing.ItemRouter;
import io.spillway.core.routing.Route;
import io.spillway.core.sharding.DedicationPlan;
import io.spillway.core.sharding.PartitionPlacement;
import io.spillway.core.sharding.PolynomialShards;
import io.spillway.core.sharding.ShuffleSharder;
import io.spillway.core.sharding.VirtualSlots;
import io.spillway.sim.scenario.SimulatedCluster;
import io.spillway.sim.scenario.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Router: routes arrivals and due items by {@link ItemRouter}, as the real one does.
 * Workers can read the result when its transaction commits.
 *
 * <p>Owner: the model. Bound: the items of one transaction and of the delay lane.
 */
final class SimRouter implements ItemPlacement.Shards {
    /** The default of {@code router.maxTenants}. */
    private static final int MAX_RATES = 1_000_000;

    private final Population population;
    private final Tally tally;
    private final SimulatedPartition[][] lanes;
    private final RateTable rates = new RateTable(MAX_RATES);
    private final Fleet fleet;
    private final ItemPlacement placing;
    private final ItemRouter router;
    private final PartitionPlacement placement;
    private LaneBacklogs backlogs = LaneBacklogs.UNKNOWN;
    /** By lane: its progress by the number of finished items. */
    private final List<LaneProgress<Long>> progress;
    private final SimDelay[] delays;
    private List<Routed> open = new ArrayList<>();

    private record Routed(SimulatedItem item, SimulatedPartition to) {}

    SimRouter(Tally tally, SimulatedCluster cluster, SimulatedPartition[][] lanes) {
        this.population = tally.population;
        this.tally = tally;
        this.lanes = lanes;
        Duration stuckAfter = Duration.ofMillis(cluster.stuckAfterMillis());
        this.progress = Lane.WORKED.stream().map(lane ->
                new LaneProgress<Long>(stuckAfter, (before, now) -> !before.equals(now))).toList();
        int partitions = cluster.partitions();
        this.fleet = new Fleet(cluster.protection(), partitions);
        this.placing = new ItemPlacement(fleet, this);
        ItemEnds ends = new ItemEnds((tenant, workload, marginMillis, nowMillis) ->
                population.sweptBeforeMillis(tenant, nowMillis), ItemEnds.NO_FAILURES, () -> 0);
        this.router = new ItemRouter(ends, (tenant, policy) -> policy.rateLimit(), rates, placing);
        this.delays = new SimDelay[partitions];
        Arrays.setAll(delays, i -> new SimDelay(population, ends, i, partitions));
        this.placement = new PartitionPlacement(
                new ShuffleSharder(partitions, cluster.shardSeed()),
                Optional.empty(),
                VirtualSlots.spread(partitions, partitions),
                DedicationPlan.of(dedicated(), partitions, DedicationPlan.leastShared(partitions), cluster.shardSeed())
                        .dedication());
    }

    /** Routes an item from ingress. */
    void arrive(SimulatedItem item, long nowNanos) {
        ItemPlacement.Placed placed = decide(item, nowNanos);
        // It counts in its lane from now on, although workers cannot read it yet.
        tally.entered(item, placed.route() instanceof Route.ToLane to ? to.lane() : Lane.HOT);
        apply(item, placed);
    }

    void delay(SimulatedItem item, long dueMillis, long nowNanos) {
        int partition = item.currentPartition.index;
        delays[item.retries
                ? placing.retryPartition(population.context(item.tenant), item.workload, partition) : partition]
                .add(dueMillis, item, SimulatedTime.epochMillis(nowNanos));
    }

    /** Routes the items that leave the delay lane again. */
    void fireTimers(long nowNanos) {
        for (SimDelay delay : delays) {
            for (SimulatedItem item : delay.leave(SimulatedTime.epochMillis(nowNanos))) {
                ItemPlacement.Placed placed = decide(item, nowNanos);
                if (placed.route() instanceof Route.ToLane to) {
                    tally.moved(item, to.lane());
                }
                apply(item, placed);
            }
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

    /** Reads the backlogs of the lanes that workers work on. */
    void readBacklogs(long nowNanos) {
        backlogs = LaneBacklogs.measured(lane -> read(lane, nowNanos));
    }

    private PartitionBacklog read(Lane lane, long nowNanos) {
        SimulatedPartition[] partitions = lanes[lane.ordinal()];
        return progress.get(lane.ordinal()).next(
                Arrays.stream(partitions).mapToLong(SimulatedPartition::waiting).toArray(),
                Arrays.stream(partitions).map(SimulatedPartition::finished).toList(),
                SimulatedTime.epochMillis(nowNanos));
    }

    /** Applies the workers' latest reports, by name. */
    void update(Map<String, WorkerReport> reports, long nowNanos) {
        fleet.update(reports, backlogs, 1, SimulatedTime.epochMillis(nowNanos));
    }

    /** Returns whether the live lanes are caught up, as workers see it. */
    boolean isCaughtUp() {
        return fleet.isCaughtUp(partition -> true);
    }

    void prune(long nowNanos) {
        rates.prune(SimulatedTime.epochMillis(nowNanos) * SimulatedTime.NANOS_PER_MILLI);
    }

    private ItemPlacement.Placed decide(SimulatedItem item, long nowNanos) {
        return router.route(
                population.context(item.tenant), item.workload, item.times(), SimulatedTime.epochMillis(nowNanos));
    }

    private void apply(SimulatedItem item, ItemPlacement.Placed placed) {
        switch (placed.route()) {
            case Route.ToLane to -> open.add(new Routed(item, lanes[to.lane().ordinal()][placed.partition()]));
            case Route.Drop drop -> tally.dropped(item, drop.reason());
            case Route.DeadLetter dead -> tally.dead(item, dead);
        }
    }

    /** Returns where an item waits that a worker moves to overflow or aged. */
    SimulatedPartition place(SimulatedItem item, Route.ToLane to, long nowNanos) {
        return lanes[to.lane().ordinal()][placing.moved(to, population.context(item.tenant), item.workload,
                item.currentPartition.index, SimulatedTime.epochMillis(nowNanos))];
    }

    @Override
    public int ofTenant(TenantContext tenant, String workload, int[] into) {
        return placement.partitions(tenant.name(), PolynomialShards.NONE, workload, tenant.policy().shardSize(),
                PartitionPlacement.WORKLOAD_SHARE, into);
    }

    @Override
    public int[] ofExcess(TenantContext tenant) {
        return placement.excessPartitions(tenant.name());
    }

    private SortedMap<String, DedicationPlan.Request> dedicated() {
        SortedMap<String, DedicationPlan.Request> dedicated = new TreeMap<>();
        for (int group = 0; group < population.groups().size(); group++) {
            int own = population.groups().get(group).policy().dedicated();
            for (int tenant = population.first(group); tenant < population.first(group + 1) && own > 0; tenant++) {
                dedicated.put(
                        population.name(tenant), new DedicationPlan.Request(own, PoolName.SHARED));
            }
        }
        return dedicated;
    }
}
