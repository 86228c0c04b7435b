package io.spillway.sim.scenario;

import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.Sweep;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Tenants with the same behaviour.
 *
 * @param name     of the group; its tenants have this name, followed by a number when there are several
 * @param count    tenants, 1 or more; ignored for a recorded trace, which defines its own
 * @param arrivals arrival processes; copied
 * @param surges   changes of the rate, in order and without overlap; copied
 * @param policy   of each tenant
 * @param sweeps   completed sweeps, in milliseconds since the start of the run; copied
 * @param workloads further arrivals of each tenant, by workload, with distinct names; copied
 * @param isBehindGateway whether its items come through a gateway, which may refuse them
 */
public record TenantGroup(
        String name, int count, List<Arrivals> arrivals, List<Surge> surges, TenantPolicy policy, Handling handling,
        List<Sweep> sweeps, List<Workload> workloads, boolean isBehindGateway) {
    /** Arrivals of one workload of each tenant; none of them is recorded. */
    public record Workload(String name, List<Arrivals> arrivals) {
        public Workload {
            arrivals = List.copyOf(arrivals);
        }
    }

    /** Creates a group whose items name no workload, and come from Kafka producers. */
    public TenantGroup(
            String name, int count, List<Arrivals> arrivals, List<Surge> surges, TenantPolicy policy,
            Handling handling, List<Sweep> sweeps) {
        this(name, count, arrivals, surges, policy, handling, sweeps, List.of(), false);
    }

    /** @throws IllegalArgumentException when the count is out of range, a recording is not alone, or surges overlap */
    public TenantGroup {
        arrivals = List.copyOf(arrivals);
        surges = List.copyOf(surges);
        sweeps = List.copyOf(sweeps);
        workloads = List.copyOf(workloads);
        if (workloads.stream().map(Workload::name).distinct().count() < workloads.size()) {
            throw new IllegalArgumentException("workloads of " + name + ": two have the same name");
        }
        Stream<Arrivals> all = Stream.concat(arrivals.stream(), workloads.stream().flatMap(w -> w.arrivals().stream()));
        if (!workloads.isEmpty() && all.anyMatch(pattern -> pattern instanceof Arrivals.Recorded)) {
            throw new IllegalArgumentException("workloads of " + name + ": cannot be used with a recorded trace");
        }
        ScenarioLimits.require("count", count, 1, ScenarioLimits.MAX_TENANTS);
        if (arrivals.size() > 1 && arrivals.stream().anyMatch(pattern -> pattern instanceof Arrivals.Recorded)) {
            throw new IllegalArgumentException("arrivals of " + name + ": a recorded trace must be alone in its group");
        }
        for (int i = 1; i < surges.size(); i++) {
            if (surges.get(i).window().fromMillis() < surges.get(i - 1).window().toMillis()) {
                throw new IllegalArgumentException("spikes of " + name + ": must follow each other and not overlap");
            }
        }
    }

    /** Returns the number of tenants, including those of a recording. */
    public int tenants() {
        return trace().map(trace -> trace.tenants().size()).orElse(count);
    }

    /** Returns the name of one of its tenants. */
    public String tenant(int index) {
        return trace().map(trace -> trace.tenants().get(index)).orElse(count == 1 ? name : name + "-" + index);
    }

    /** Returns the recorded trace; empty when the arrivals are generated. */
    public Optional<RecordedTrace> trace() {
        return arrivals.size() == 1 && arrivals.getFirst() instanceof Arrivals.Recorded recorded
                ? Optional.of(recorded.trace()) : Optional.empty();
    }
}
