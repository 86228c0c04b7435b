package io.spillway.gateway;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.policy.RateLimit;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.LoadShedder;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.TenantPolicies;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** Read-only {@code /admin} API for the operator: the backlog of all tenants, and one tenant's policy. Thread-safe. */
record AdminApi(TenantPolicies policies, Depths depths, DepthsReport report, InstantSource clock) {
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
        json.set("policy", policyOf(policy));
        json.put("waiting", waiting.isPresent() ? (Long) waiting.getAsLong() : null);
        json.put("admittedShare", LoadShedder.share(policy, waiting));
        return GatewayResponse.json(200, json);
    }

    /** Returns the policy for programs: numbers in base units, null for no limit. */
    private static ObjectNode policyOf(TenantPolicy policy) {
        ObjectNode json = GatewayResponse.JSON.createObjectNode();
        Optional<RateLimit> rate = policy.rateLimit();
        json.put("ratePerSecond", rate.map(RateLimit::itemsPerSecond).orElse(null));
        json.put("burst", rate.map(limit -> limit.toleranceNanos() / limit.intervalNanos()).orElse(null));
        json.put("concurrency", policy.concurrency() == Integer.MAX_VALUE ? null : (Integer) policy.concurrency());
        json.put("agedAfterMillis", orNull(policy.agedAfterMillis()));
        json.put("ttlMillis", orNull(policy.ttlMillis()));
        json.put("sweepable", policy.sweepable());
        json.put("attempts", policy.attempts());
        json.put("backoffBaseMillis", policy.backoffBaseMillis());
        json.put("backoffCapMillis", policy.backoffCapMillis());
        json.put("jitter", policy.jitter().name().toLowerCase(Locale.ROOT));
        json.put("timeoutMillis", policy.timeoutMillis());
        json.put("weight", policy.weight());
        json.put("shardSize", policy.shardSize());
        json.put("dedicated", policy.dedicated());
        json.put("backPressure", policy.backPressure().name().toLowerCase(Locale.ROOT));
        json.put("maxDepth", orNull(policy.maxDepth()));
        return json;
    }

    private static Long orNull(long value) {
        return value == Long.MAX_VALUE ? null : (Long) value;
    }
}
