package io.spillway.sim;

import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.Sweep;
import io.spillway.sim.scenario.Latency;
import io.spillway.sim.scenario.SimulatedTime;
import io.spillway.sim.scenario.TenantGroup;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tenants of a scenario by number, those of the first group first. Immutable. */
final class Population {
    private final List<TenantGroup> groups;
    private final int[] firstOfGroup;
    private final TenantContext[] tenants;
    private final Map<String, Integer> numbers = new HashMap<>();

    Population(List<TenantGroup> groups) {
        this.groups = groups;
        this.firstOfGroup = new int[groups.size() + 1];
        for (int i = 0; i < groups.size(); i++) {
            firstOfGroup[i + 1] = firstOfGroup[i] + groups.get(i).tenants();
        }
        this.tenants = new TenantContext[size()];
        for (int i = 0; i < groups.size(); i++) {
            for (int tenant = firstOfGroup[i]; tenant < firstOfGroup[i + 1]; tenant++) {
                tenants[tenant] = TenantContext.of(
                        groups.get(i).tenant(tenant - firstOfGroup[i]), 0, groups.get(i).policy());
                numbers.put(tenants[tenant].name(), tenant);
            }
        }
    }

    int size() {
        return firstOfGroup[groups.size()];
    }

    List<TenantGroup> groups() {
        return groups;
    }

    int first(int group) {
        return firstOfGroup[group];
    }

    String name(int tenant) {
        return tenants[tenant].name();
    }

    int groupOf(int tenant) {
        int index = Arrays.binarySearch(firstOfGroup, tenant);
        return index >= 0 ? index : -index - 2;
    }

    TenantGroup group(int tenant) {
        return groups.get(groupOf(tenant));
    }

    TenantPolicy policy(int tenant) {
        return tenants[tenant].policy();
    }

    TenantPolicy policy(String name) {
        return policy(numbers.get(name));
    }

    TenantContext context(int tenant) {
        return tenants[tenant];
    }

    /**
     * Returns the time before which the completed sweeps cover items, epoch milliseconds, or
     * {@link ItemEnds#NO_SWEEP_MILLIS}.
     */
    long sweptBeforeMillis(String name, long nowMillis) {
        int tenant = numbers.get(name);
        long latest = ItemEnds.NO_SWEEP_MILLIS;
        for (Sweep sweep : group(tenant).sweeps()) {
            if (sweep.completedAtMillis() * SimulatedTime.NANOS_PER_MILLI <= SimulatedTime.nanosOf(nowMillis)) {
                long startNanos = sweep.startedAtMillis() * SimulatedTime.NANOS_PER_MILLI;
                latest = Math.max(
                        latest, SimulatedTime.epochMillis(startNanos) - policy(tenant).sweepMarginMillis());
            }
        }
        return latest;
    }

    /** Returns the recorded latency of the tenant, or that of its group. */
    Latency latency(int tenant) {
        int index = groupOf(tenant);
        TenantGroup group = groups.get(index);
        return group.trace()
                .flatMap(trace -> trace.latency(tenant - firstOfGroup[index]))
                .orElse(group.handling().latency());
    }
}
