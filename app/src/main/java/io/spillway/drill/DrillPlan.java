package io.spillway.drill;

import io.spillway.core.item.ItemDrill;
import io.spillway.core.item.ItemDrill.Fault;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.sim.scenario.Arrivals;
import io.spillway.sim.scenario.Disturbance;
import io.spillway.sim.scenario.Handling;
import io.spillway.sim.scenario.Latency;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.SimulatedCluster;
import io.spillway.sim.scenario.Surge;
import io.spillway.sim.scenario.TenantGroup;
import io.spillway.sim.scenario.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a drill sends and when, and the same as a scenario. The items of a tenant come for some time before, during and
 * after the fault. Those of a quiet tenant come beside them, to show what the fault does to others. Times are
 * milliseconds since the start.
 *
 * @param perSecond      items of the tenant a second, outside of a flood
 * @param handlingMillis duration of an attempt
 * @param factor         how many times the items of a flood, or the duration of slow attempts, are the usual ones
 * @param faultMillis    how long the fault lasts
 */
public record DrillPlan(
        Kind kind, String tenant, double perSecond, long handlingMillis, double factor, long faultMillis) {
    /** Time before the fault and after it in which items are sent too. */
    static final long AROUND_MILLIS = 15_000;
    /** What the name of the tenant of a killer ends with: the longest such end. */
    public static final String KILLER = "-killer";
    static final double QUIET_PER_SECOND = 5;
    static final long QUIET_MILLIS = 5;
    /** A restarted worker finds the item of {@link Kind#KILL} harmless. */
    static final long KILL_MILLIS = 2_000;

    /** Kind of the fault. */
    public enum Kind {
        /** The destination of the tenant is unavailable. */
        OUTAGE,
        /** Attempts of the tenant take longer. */
        SLOW,
        /** The tenant sends more. */
        FLOOD,
        /** One item ends the process of its worker once. */
        KILL,
        /** One item ends the process of each worker that attempts it. */
        KILLER;

        /** Returns whether the fault ends the processes of workers. */
        public boolean kills() {
            return this == KILL || this == KILLER;
        }

        /** Returns the kind as it is written on the command line. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Items of one tenant.
     *
     * @param surge how many times the rate is the usual one during the fault
     * @param burst items at the beginning of the fault besides
     * @param fault of attempts that begin during it
     */
    record Traffic(
            String tenant, double perSecond, double surge, int burst, long handlingMillis, Fault fault,
            double slowdown) {}

    /** Returns the parts of the drill, by which its items are counted. */
    List<Scenario.Phase> phases() {
        return List.of(new Scenario.Phase("before", new Window(0, fault().fromMillis())),
                new Scenario.Phase("during", fault()),
                new Scenario.Phase("after", new Window(fault().toMillis(), durationMillis())));
    }

    Window fault() {
        return new Window(AROUND_MILLIS, AROUND_MILLIS + faultMillis);
    }

    /** Returns how long items are sent. */
    public long durationMillis() {
        return 2 * AROUND_MILLIS + faultMillis;
    }

    /** Returns the items of all tenants of the drill. */
    List<Traffic> traffic() {
        Fault fault = switch (kind) {
            case OUTAGE -> Fault.OUTAGE;
            case SLOW -> Fault.SLOW;
            case FLOOD, KILL, KILLER -> Fault.NONE;
        };
        List<Traffic> all = new ArrayList<>();
        all.add(new Traffic(tenant, perSecond, kind == Kind.FLOOD ? factor : 1, 0, handlingMillis, fault,
                kind == Kind.SLOW ? factor : 1));
        all.add(new Traffic(tenant + "-quiet", QUIET_PER_SECOND, 1, 0, QUIET_MILLIS, Fault.NONE, 1));
        if (kind.kills()) {
            all.add(new Traffic(tenant + KILLER, 0, 1, 1, handlingMillis, Fault.KILL, 1));
        }
        return all;
    }

    /** Returns how many items of a tenant are to be sent until now. */
    long due(Traffic traffic, long elapsedMillis) {
        Window fault = fault();
        long sentMillis = Math.min(elapsedMillis, durationMillis());
        long inFaultMillis = Math.clamp(elapsedMillis - fault.fromMillis(), 0, faultMillis);
        double steady = traffic.perSecond / 1e3 * (sentMillis + (traffic.surge - 1) * inFaultMillis);
        return (long) steady + (elapsedMillis >= fault.fromMillis() ? traffic.burst : 0);
    }

    /** Returns the number of items of the whole drill. */
    public long items() {
        return traffic().stream().mapToLong(each -> due(each, durationMillis())).sum();
    }

    /** Returns what the items of a tenant do, of a drill that began at a time. */
    ItemDrill drill(Traffic traffic, long startMillis) {
        Window window = window(traffic);
        return new ItemDrill(
                traffic.handlingMillis, traffic.fault, Math.round(traffic.handlingMillis * traffic.slowdown),
                startMillis + window.fromMillis(), startMillis + window.toMillis());
    }

    /** Returns when the items of a tenant have their fault. */
    private Window window(Traffic traffic) {
        Window fault = fault();
        return kind == Kind.KILL && traffic.fault == Fault.KILL
                ? new Window(fault.fromMillis(), fault.fromMillis() + KILL_MILLIS) : fault;
    }

    /**
     * Returns the drill as a scenario.
     *
     * @param policies in force for a tenant
     * @param others   what is on the system besides
     * @param drainMillis how long it may take until all items are finished
     */
    Scenario scenario(
            SimulatedCluster cluster, Function<String, TenantPolicy> policies, Optional<TenantGroup> others,
            long drainMillis) {
        List<TenantGroup> groups = new ArrayList<>();
        traffic().forEach(each -> groups.add(group(each, policies.apply(each.tenant))));
        others.ifPresent(groups::add);
        return new Scenario("drill " + kind.label(), "", durationMillis(), drainMillis, cluster, groups, phases());
    }

    private TenantGroup group(Traffic traffic, TenantPolicy policy) {
        Window fault = fault();
        List<Arrivals> arrivals = traffic.burst > 0
                ? List.of(new Arrivals.Burst(traffic.burst, fault.fromMillis(), 0))
                : List.of(new Arrivals.Constant(traffic.perSecond));
        List<Surge> surges = traffic.surge == 1 ? List.of() : List.of(new Surge(fault, traffic.surge));
        List<Disturbance> disturbances = switch (traffic.fault) {
            case NONE -> List.of();
            case OUTAGE -> List.of(new Disturbance.Outage(fault));
            case SLOW -> List.of(new Disturbance.Slowdown(fault, traffic.slowdown));
            case KILL -> List.of(new Disturbance.Kill(window(traffic)));
        };
        Handling handling = new Handling(new Latency.Constant(traffic.handlingMillis), 0, 0, false, disturbances);
        return new TenantGroup(traffic.tenant, 1, arrivals, surges, policy, handling, List.of());
    }
}
