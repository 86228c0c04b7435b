package io.spillway.bench.load;

import java.util.List;

/**
 * The flows of a run; items are numbered through all of them.
 *
 * @param areWorkloads whether what the flows call tenants are workloads of one tenant
 * @param isOrdered    whether all items of a tenant have one order key
 */
public record Traffic(List<Flow> flows, boolean areWorkloads, boolean isOrdered) {
    /** Flows of tenants. */
    public Traffic(List<Flow> flows) {
        this(flows, false, false);
    }

    int items() {
        return flows.stream().mapToInt(Flow::items).sum();
    }

    /** One more than the highest number of a tenant. */
    int tenants() {
        return flows.stream().mapToInt(flow -> flow.firstTenant() + flow.tenants()).max().orElseThrow();
    }

    /** Number of the first item of a flow. */
    int firstOf(Flow flow) {
        return flows.subList(0, flows.indexOf(flow)).stream().mapToInt(Flow::items).sum();
    }
}
