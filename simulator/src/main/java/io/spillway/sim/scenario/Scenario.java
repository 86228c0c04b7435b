package io.spillway.sim.scenario;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Scenario for the simulator.
 *
 * @param description    one line for the output, may be empty
 * @param durationMillis how long items arrive, 1 or more
 * @param drainMillis    longest time after that to finish the remaining items, 0 or more
 * @param groups         1 or more groups of tenants with distinct names; copied
 * @param phases         windows whose arriving items are also counted separately; copied
 */
public record Scenario(
        String name, String description, long durationMillis, long drainMillis, SimulatedCluster cluster,
        List<TenantGroup> groups, List<Phase> phases) {
    /** Named window of the run. */
    public record Phase(String name, Window window) {}

    /** @throws IllegalArgumentException when it has no tenants, too many, or two groups of one name, or is too long */
    public Scenario {
        groups = List.copyOf(groups);
        phases = List.copyOf(phases);
        if (durationMillis < 1 || drainMillis < 0
                || Math.max(durationMillis, drainMillis) > ScenarioLimits.MAX_RUN_MILLIS) {
            throw new IllegalArgumentException("duration = " + durationMillis + "ms, drain = " + drainMillis
                    + "ms: must be from 1 ms, and from 0 ms, to 31 days");
        }
        long tenants = groups.stream().mapToLong(TenantGroup::tenants).sum();
        if (tenants < 1 || tenants > ScenarioLimits.MAX_TENANTS) {
            throw new IllegalArgumentException(
                    "tenants = " + tenants + " in all: must be from 1 to " + ScenarioLimits.MAX_TENANTS);
        }
        Set<String> names = new HashSet<>();
        groups.forEach(group -> {
            if (!names.add(group.name())) {
                throw new IllegalArgumentException("tenants: two groups are called " + group.name());
            }
        });
    }

    /** Returns the tenants of all groups. */
    public int tenants() {
        return groups.stream().mapToInt(TenantGroup::tenants).sum();
    }

    /** Returns the end of the last spike, burst, outage or slowdown, milliseconds since the start; 0 for none. */
    public long disturbedUntilMillis() {
        return groups.stream()
                .flatMap(group -> Stream.of(
                        group.surges().stream().map(surge -> surge.window().toMillis()),
                        group.handling().disturbances().stream().map(disturbance -> disturbance.window().toMillis()),
                        group.arrivals().stream().filter(arrivals -> arrivals instanceof Arrivals.Burst)
                                .map(arrivals -> ((Arrivals.Burst) arrivals).atMillis())))
                .flatMap(ends -> ends)
                .filter(end -> end <= durationMillis)
                .max(Long::compare)
                .orElse(0L);
    }
}
