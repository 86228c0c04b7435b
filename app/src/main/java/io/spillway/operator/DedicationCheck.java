package io.spillway.operator;

import io.spillway.config.Configuration;
import io.spillway.core.sharding.DedicationPlan;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.TenantPolicies;
import java.util.Map;
import java.util.SortedMap;

/** What every router makes of dedicated partitions when policies change. */
public final class DedicationCheck {
    private DedicationCheck() {}

    /**
     * Applies changes to policies that were read, and returns the plan of the routers.
     *
     * @param changes stored form by tenant; null removes a policy
     * @throws OperatorException if the plan refuses one of these tenants, or another because of them
     */
    public static DedicationPlan planned(
            Configuration configuration, TenantPolicies policies, Map<String, byte[]> changes) {
        SortedMap<String, String> before = plan(configuration, policies).refused();
        changes.forEach((tenant, value) -> {
            if (value == null) {
                policies.remove(tenant);
            } else {
                policies.put(tenant, value);
            }
        });
        DedicationPlan plan = plan(configuration, policies);
        plan.refused().forEach((tenant, why) -> {
            if (changes.containsKey(tenant)) {
                throw OperatorException.conflict("Nothing is changed: " + why);
            }
            if (!before.containsKey(tenant)) {
                throw OperatorException.conflict(
                        "Nothing is changed, because another tenant would lose its partitions: " + why);
            }
        });
        return plan;
    }

    private static DedicationPlan plan(Configuration configuration, TenantPolicies policies) {
        return new PlacementView(configuration.queue(), policies, new ShardAssignments()).dedications();
    }
}
