package io.spillway.gateway;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.RateLimit;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.LoadShedder;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.TenantPolicies;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;

/** Read-only {@code /admin} API for the operator: the backlog of all tenants, and one tenant's policy. Thread-safe. */
record AdminApi(
        TenantPolicies policies, Depths depths, Backlogs backlogs, DepthsReport report, InstantSource clock) {
    static final String PATH = "/admin";
    private static final String DEPTHS = PATH + "/depths";
    private static final String TENANTS = PATH + "/tenants/";

    GatewayResponse get(String path) {
        if (path.equals(DEPTHS)) {
            return report.at(clock.millis());
        }
        String tenant = path.startsWith(TENANTS) ? path.substring(TENANTS.length()) : "";
        if (!ItemLimits.isName(tenant)) {
            return GatewayResponse.of(
                    Problem.Kind.NOT_FOUND, "The paths here are " + DEPTHS + " and " + TENANTS + "TENANT.");
        }
        TenantPolicy policy = policies.of(tenant);
        OptionalLong waiting = depths.waiting(tenant);
        ObjectNode json = GatewayResponse.JSON.createObjectNode();
        json.put("tenant", tenant);
        json.set("policy", jsonOf(policies.inForce(tenant), policy));
        json.put("waiting", waiting.isPresent() ? (Long) waiting.getAsLong() : null);
        json.put("admittedShare", LoadShedder.share(policy, backlogs.of(tenant)));
        return GatewayResponse.json(200, json);
    }

    /** Returns the policy for programs; the bursts are those in force, also where none are set. */
    private static ObjectNode jsonOf(PolicySettings settings, TenantPolicy policy) {
        ObjectNode json = GatewayResponse.JSON.valueToTree(settings.json());
        json.put(PolicyField.BURST.jsonKey(), burst(policy.rateLimit()));
        json.put(PolicyField.ADMISSION_BURST.jsonKey(), burst(policy.admissionLimit()));
        return json;
    }

    private static Long burst(Optional<RateLimit> rate) {
        return rate.map(limit -> limit.toleranceNanos() / limit.intervalNanos()).orElse(null);
    }
}
