package io.spillway.sim.scenario;

import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.Sweep;
import java.util.List;

/**
 * Tenants that behave alike.
 *
 * @param name     of the group; its tenants are called that, or with a number behind it when there are several
 * @param count    tenants, 1 or more; a recorded trace brings its own and their number does not stand here
 * @param arrivals when items arrive, one stream each; copied
 * @param surges   more or fewer of them for a while, not overlapping, in order; copied
 * @param policy   of each tenant, not null
 * @param handling not null
 * @param sweeps   completed sweeps in times of the run (milliseconds since its start); copied
 */
public record TenantGroup(
        String name, int count, List<Arrivals> arrivals, List<Surge> surges, TenantPolicy policy, Handling handling,
        List<Sweep> sweeps) {
    /** @throws IllegalArgumentException when the count is out of range, a recording has company, or surges overlap */
    public TenantGroup {
        arrivals = List.copyOf(arrivals);
        surges = List.copyOf(surges);
        sweeps = List.copyOf(sweeps);
        if (count < 1 || count > ScenarioLimits.MAX_TENANTS) {
            throw new IllegalArgumentException("count = " + count + ": must be from 1 to " + ScenarioLimits.MAX_TENANTS);
        }
        if (arrivals.size() > 1 && arrivals.stream().anyMatch(each -> each instanceof Arrivals.Recorded)) {
            throw new IllegalArgumentException("arrivals of " + name + ": a recorded trace must be alone in its group");
        }
        for (int i = 1; i < surges.size(); i++) {
            if (surges.get(i).window().fromMillis() < surges.get(i - 1).window().toMillis()) {
                throw new IllegalArgumentException("spikes of " + name + ": must follow each other and not overlap");
            }
        }
    }

    /** How many tenants there are, those of a recording included. */
    public int tenants() {
        return arrivals.size() == 1 && arrivals.getFirst() instanceof Arrivals.Recorded recorded
                ? recorded.trace().tenants().size()
                : count;
    }

    /** The name of one of its tenants. */
    public String tenant(int index) {
        return arrivals.size() == 1 && arrivals.getFirst() instanceof Arrivals.Recorded recorded
                ? recorded.trace().tenants().get(index)
                : count == 1 ? name : name + "-" + index;
    }
}
