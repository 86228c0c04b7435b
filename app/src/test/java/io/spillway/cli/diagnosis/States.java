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
import io.spillway.operator.report.DepthsQuery;
import io.spillway.operator.report.Instances;
import io.spillway.operator.report.QueueReader;
import io.spillway.operator.report.QueueState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Builder of states of a queue for tests, through the encoded balances as the router publishes them. */
final class States {
    static final long NOW_MILLIS = 1_763_900_000_000L;

    final Depths depths = new Depths();
    final Map<String, TenantPolicy> policies = new HashMap<>();
    final LaneFlows flows = new LaneFlows(depths);
    static final Instances NO_INSTANCES = instances(0, 0, 0, 0, 0);
    static final QueueReader.Readings NONE = new QueueReader.Readings(0, 0, Map.of(), NO_INSTANCES);
    QueueReader.Readings readings = new QueueReader.Readings(0, 0, Map.of(), instances(1, 2, 1, 48, 20));

    /** Returns so many instances of version 1.0. */
    static Instances instances(int routers, int workers, int gateways, long slots, double handledPerSecond) {
        return new Instances("", "", list("r", routers, null),
                list("w", workers, new Instances.Load(slots, 0, handledPerSecond, 0)), list("g", gateways, null),
                List.of());
    }

    private static List<Instances.Instance> list(String prefix, int count, Instances.Load load) {
        return IntStream.range(0, count).mapToObj(i ->
                new Instances.Instance(prefix + i, null, "1.0", null, List.of(), load)).toList();
    }

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

    States readings(QueueReader.Readings other) {
        readings = other;
        return this;
    }

    SystemState state() {
        flows.sample(NOW_MILLIS);
        TenantPolicy others = TenantPolicy.of(PolicySettings.NONE_SET);
        return SystemState.of(
                QueueState.of(depths, flows.byLane(), tenant -> policies.getOrDefault(tenant, others),
                        tenant -> null, DepthsQuery.BUSIEST, NOW_MILLIS),
                depths, readings);
    }
}
