package io.spillway.operator.report;

import io.spillway.core.policy.PolicySettings;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import java.util.List;
import java.util.stream.Stream;

/** Policy in force of a tenant, field by field, with the place where each is set. */
public final class PolicySources {
    private PolicySources() {}

    /**
     * Returns a row for each field of the policy in force, and each workload: key, value in the form in which it is
     * set, and where it is set.
     *
     * @param configured defaults of the configuration
     */
    public static Stream<List<String>> rows(String tenant, TenantPolicies policies, PolicySettings configured) {
        PolicySettings own = policies.own(tenant);
        PolicySettings called = policies.fromDestination(tenant);
        PolicySettings shared = policies.own(ViewContent.ALL_TENANTS);
        PolicySettings inForce = policies.inForce(tenant);
        Stream<List<String>> workloads = inForce.workloads().entrySet().stream().map(workload -> List.of(
                "workload " + workload.getKey(), workload.getValue().format(),
                "set for " + (own.workloads().containsKey(workload.getKey()) ? tenant : ViewContent.ALL_TENANTS)));
        Stream<List<String>> fields = inForce.values().entrySet().stream().map(field -> List.of(
                field.getKey().key(), field.getKey().format(field.getValue()),
                own.get(field.getKey()).isPresent() ? "set for " + tenant
                        : called.get(field.getKey()).isPresent() ? "set for its destination"
                        : shared.get(field.getKey()).isPresent() ? "set for *"
                        : configured.get(field.getKey()).isPresent() ? "configuration" : "default"));
        return Stream.concat(fields, workloads);
    }
}
