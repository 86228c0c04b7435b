package io.spillway.cli.diagnosis;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.LaneFlows;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Builder of states of a queue for tests, through the encoded balances as the router publishes them. */
final class States {
    static final long NOW_MILLIS = 1_763_900_000_000L;

    final Depths depths = new Depths();
    final Map<String, TenantPolicy> policies = new HashMap<>();
    final LaneFlows flows = new LaneFlows(depths);
    SystemState.Readings readings = new SystemState.Readings(
            0, 0, Map.of(), new Instances(1, 2, 1, new TreeMap<>(Map.of("a", "1.0"))), 96, 40);

    /** Adds a tenant with items in hot and in delay, and these rates now. */
    States tenant(String name, long hot, long delay, double inPerSecond, double outPerSecond) {
        return tenant(name, Map.of(ItemState.HOT, hot, ItemState.DELAY, delay), inPerSecond, outPerSecond);
    }

    States tenant(String name, Map<ItemState, Long> in, double inPerSecond, double outPerSecond) {
        long[] entered = new long[ItemState.COUNT];
        long[] left = new long[ItemState.COUNT];
        in.forEach((state, count) -> entered[state.ordinal()] = count);
        left[ItemState.OUTSIDE.ordinal()] = in.values().stream().mapToLong(Long::longValue).sum();
        Depth depth = new Depth(TenantBalance.of(entered, left), new FlowRates(inPerSecond, outPerSecond, NOW_MILLIS),
                GrowingLimit.NONE, 0);
        depths.put(name, Depths.encode(name, depth));
        return this;
    }

    /** Gives a tenant a time to live, such as 10s. */
    States ttl(String tenant, String ttl) {
        policies.put(tenant, TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.TTL, ttl)));
        return this;
    }

    States readings(SystemState.Readings other) {
        readings = other;
        return this;
    }

    SystemState state() {
        flows.sample(NOW_MILLIS);
        TenantPolicy others = TenantPolicy.of(PolicySettings.NONE_SET);
        return SystemState.of(depths, flows.byLane(), tenant -> policies.getOrDefault(tenant, others), readings,
                NOW_MILLIS);
    }
}
