package io.spillway.sim;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.HotGuard;
import io.spillway.core.overload.LaneReport;
import io.spillway.core.overload.LeastLoaded;
import io.spillway.core.overload.PartitionBacklog;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.RateTable;
import io.spillway.core.routing.Route;
import io.spillway.core.routing.RoutingRules;
import io.spillway.core.sharding.DedicationPlan;
import io.spillway.core.sharding.PartitionPlacement;
import io.spillway.core.sharding.ShuffleSharder;
import io.spillway.core.sharding.VirtualSlots;
import io.spillway.sim.scenario.SimulatedCluster;
import io.spillway.sim.scenario.SimulatedTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The router: the routing rules on what arrives and on what is due in the delay lane, and the least loaded partition of the
 * tenant's shard. What it decides can be read when its transaction commits.
 *
 * <p>Owner: the model. Bound: what one transaction carries, and the items of the delay lane.
 */
final class SimRouter {
    /** The default of {@code router.maxTenants}. */
    private static final int MAX_RATES = 1_000_000;

    private final Population population;
    private final Tally tally;
    private final SimulatedPartition[][] lanes;
    private final RateTable rates = new RateTable(MAX_RATES);
    private final HotGuard guard;
    private final PartitionPlacement placement;
    private final int[] candidates = new int[PartitionPlacement.MAX_PARTITIONS];
    private final LeastLoaded[] choices;
    private final PartitionBacklog[] work;
    private final long stuckAfterMillis;
    private final TimedQueue<SimulatedItem> timers = new TimedQueue<>();
    private List<Routed> open = new ArrayList<>();
    private long turn;

    private record Routed(SimulatedItem item, SimulatedPartition to) {}

    /**
     * Makes one.
     *
     * @param lanes the partitions of hot, overflow and aged
     */
    SimRouter(Population population, Tally tally, SimulatedCluster plant, SimulatedPartition[][] lanes) {
        this.population = population;
        this.tally = tally;
        this.lanes = lanes;
        this.stuckAfterMillis = plant.stuckAfterMillis();
        this.guard = new HotGuard(plant.protection(), 0);
        int partitions = plant.partitions();
        this.choices = new LeastLoaded[lanes.length];
        this.work = new PartitionBacklog[lanes.length];
        for (int lane = 0; lane < lanes.length; lane++) {
            choices[lane] = new LeastLoaded(partitions);
            work[lane] = PartitionBacklog.unknown(0);
        }
        this.placement = new PartitionPlacement(
                new ShuffleSharder(partitions, plant.shardSeed()),
                VirtualSlots.spread(partitions, partitions),
                DedicationPlan.of(dedicated(), partitions, DedicationPlan.leastShared(partitions), plant.shardSeed()).dedication());
    }

    /** Decides on an item from ingress. */
    void arrive(SimulatedItem item, long nowNanos) {
        Route route = decide(item, nowNanos);
        // It is counted in a lane from here on, though its worker cannot read it yet.
        tally.entered(item, route instanceof Route.ToLane to ? to.lane() : Lane.HOT);
        carryOut(item, route);
    }

    /** Takes what a worker has put into the delay lane. */
    void delay(SimulatedItem item, long dueMillis) {
        timers.add(dueMillis, item);
    }

    /** Decides again on what is due. */
    void ring(long nowNanos) {
        long nowMillis = SimulatedTime.epochMillis(nowNanos);
        while (!timers.isEmpty() && timers.firstTime() <= nowMillis) {
            SimulatedItem item = timers.remove();
            Route route = decide(item, nowNanos);
            if (route instanceof Route.ToLane to) {
                tally.moved(item, to.lane());
            }
            carryOut(item, route);
        }
    }

    /** When the first of the delay lane is due, milliseconds since 1970; the end of time when there is none. */
    long nextDueMillis() {
        return timers.isEmpty() ? Long.MAX_VALUE : timers.firstTime();
    }

    boolean hasOpen() {
        return !open.isEmpty();
    }

    /** The transaction: what was decided since the last can be read. */
    void commit() {
        for (Routed routed : open) {
            routed.to().append(routed.item());
        }
        open.clear();
    }

    /** Reads how much waits where; aged is not read, as in the router. */
    void readWork(long nowNanos) {
        for (int lane = 0; lane < Lane.AGED.ordinal(); lane++) {
            long[] waiting = new long[lanes[lane].length];
            long[] finished = new long[lanes[lane].length];
            for (int i = 0; i < waiting.length; i++) {
                waiting[i] = lanes[lane][i].waiting();
                finished[i] = lanes[lane][i].finished();
            }
            work[lane] = work[lane].next(waiting, finished, SimulatedTime.epochMillis(nowNanos), stuckAfterMillis);
        }
    }

    /** Takes in what the workers say of hot. */
    void look(List<LaneReport> reports, long nowNanos) {
        guard.look(reports, work[Lane.HOT.ordinal()], 1, SimulatedTime.epochMillis(nowNanos));
    }

    /** Forgets rates that say nothing any more. */
    void prune(long nowNanos) {
        rates.prune(SimulatedTime.epochMillis(nowNanos) * SimulatedTime.NANOS_PER_MILLI);
    }

    private Route decide(SimulatedItem item, long nowNanos) {
        return RoutingRules.route(
                population.name(item.tenant), item.enqueuedAtMillis(), item.enqueuedAtMillis(), population.policy(item.tenant),
                population.policy(item.tenant).rateLimit(), population.sweptBeforeMillis(item.tenant, nowNanos), SimulatedTime.epochMillis(nowNanos), rates, guard);
    }

    private void carryOut(SimulatedItem item, Route route) {
        switch (route) {
            case Route.ToLane to -> open.add(new Routed(item, place(item, to.lane())));
            case Route.Drop drop -> tally.dropped(item);
            case Route.DeadLetter dead -> throw new IllegalStateException("the rules make no dead letters");
        }
    }

    private SimulatedPartition place(SimulatedItem item, Lane lane) {
        int at = lane.ordinal();
        TenantPolicy policy = population.policy(item.tenant);
        int count = placement.partitions(
                population.name(item.tenant), "", policy.shardSize(), PartitionPlacement.MAX_PARTITIONS, Optional.empty(), candidates);
        return lanes[at][choices[at].choose(candidates, count, work[at], turn++)];
    }

    private SortedMap<String, Integer> dedicated() {
        SortedMap<String, Integer> wanted = new TreeMap<>();
        for (int group = 0; group < population.groups().size(); group++) {
            int own = population.groups().get(group).policy().dedicated();
            for (int tenant = population.first(group); tenant < population.first(group + 1) && own > 0; tenant++) {
                wanted.put(population.name(tenant), own);
            }
        }
        return wanted;
    }
}
