package io.spillway.router;

import io.spillway.policy.RateTable;
import io.spillway.policy.Route;
import io.spillway.policy.RoutingRules;
import io.spillway.policy.TenantPolicy;
import io.spillway.topic.ItemReader;
import io.spillway.topic.ItemReading;
import io.spillway.topic.Sweeps;
import io.spillway.topic.TenantPolicies;
import org.apache.kafka.streams.processor.api.Record;

/** The routing order of the contract for a record that a producer has put into ingress. */
final class IngressDecider implements Decider {
    private final ItemReader reader;
    private final TenantPolicies policies;
    private final Sweeps sweeps;
    private final RateTable rates;
    private final RouterMetrics metrics;

    IngressDecider(
            ItemReader reader, TenantPolicies policies, Sweeps sweeps, RateTable rates, RouterMetrics metrics) {
        this.reader = reader;
        this.policies = policies;
        this.sweeps = sweeps;
        this.rates = rates;
        this.metrics = metrics;
    }

    @Override
    public Decision decide(Record<byte[], byte[]> record, long nowMillis) {
        return switch (reader.read(record.key(), record.value(), record.headers(), record.timestamp())) {
            case ItemReading.Item item -> route(item, nowMillis);
            case ItemReading.Unreadable unreadable -> new Decision(
                    new Route.DeadLetter(unreadable.reason(), unreadable.detail()),
                    unreadable.hasInternalHeaders(),
                    Decision.AS_IT_IS);
        };
    }

    private Decision route(ItemReading.Item item, long nowMillis) {
        long saidMillis = item.enqueuedAtMillis();
        boolean plausible = RoutingRules.isPlausible(saidMillis, nowMillis);
        if (!plausible) {
            metrics.clockSkew(saidMillis, nowMillis);
        }
        long enqueuedAtMillis = plausible ? saidMillis : nowMillis;
        String tenant = item.tenant();
        TenantPolicy policy = policies.of(tenant);
        long sweepStartMillis = policy.sweepable()
                ? sweeps.coveredBeforeMillis(tenant, nowMillis)
                : RoutingRules.NO_SWEEP_MILLIS;
        Route route = RoutingRules.route(
                tenant, enqueuedAtMillis, enqueuedAtMillis, policy, sweepStartMillis, nowMillis, rates);
        metrics.sidelined(tenant, route);
        return new Decision(route, item.hasInternalHeaders(), plausible ? Decision.AS_IT_IS : nowMillis);
    }
}
