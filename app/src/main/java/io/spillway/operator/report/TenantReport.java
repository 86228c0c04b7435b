package io.spillway.operator.report;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.config.Configuration;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.RateLimit;
import io.spillway.core.policy.Subscription;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.TimeoutStatuses;
import io.spillway.kafka.view.ViewContent;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * One tenant as JSON: its policy with the place where each field is set, where its items are and go to, its rates, the
 * forecast, and the health of its destination. What the command {@code explain --tenant} shows comes from the same
 * classes. Immutable.
 *
 * @param sweeps        sweeps and cancels in force
 * @param admittedShare part of a tenant's items that the gateway admits, 0 to 1
 */
record TenantReport(
        Configuration configuration, TenantPolicies policies, Sweeps sweeps, Depths depths,
        ToDoubleFunction<String> admittedShare, OperatorReads reads, InstantSource clock) {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int MOST_SUBSCRIPTIONS = 100;

    ObjectNode of(String tenant, long nowMillis) {
        TenantPolicy policy = policies.of(tenant);
        Optional<Depth> depth = depths.of(tenant);
        ObjectNode json = JSON.createObjectNode();
        json.put("tenant", tenant);
        json.set("policy", policy(policies.inForce(tenant), policy));
        double share = admittedShare.applyAsDouble(tenant);
        Optional<QueueState.Tenant> state =
                depth.map(found -> QueueState.Tenant.of(tenant, found, policy, share, nowMillis));
        json.put("waiting", state.map(QueueState.Tenant::waiting).orElse(null));
        json.put("admittedShare", share);
        ArrayNode sources = json.putArray("sources");
        PolicySources.rows(tenant, policies, configuration.defaults()).forEach(row -> sources.addObject()
                .put("field", row.get(0)).put("value", row.get(1)).put("source", row.get(2)));
        NavigableMap<String, Subscription> subscriptions = policies.subscriptions(tenant);
        json.put("subscriptionCount", subscriptions.size());
        ArrayNode first = json.putArray("subscriptions");
        subscriptions.values().stream().limit(MOST_SUBSCRIPTIONS).forEach(subscription -> first.addObject()
                .put("name", subscription.name()).put("workloads", subscription.pattern())
                .put("paused", policies.of(tenant, subscription.workload())
                        .workload(subscription.workload()).paused())
                .put("set", subscription.settings().inOneLine()));
        depth.ifPresent(found -> balance(json, found, state.orElseThrow()));
        Topics topics = new Topics(configuration.queue());
        List<String> missing = new ArrayList<>();
        placement(json, tenant, policy, topics, missing, nowMillis);
        TimeoutStatuses timeouts = read(topics.timeouts(), new TimeoutStatuses(clock), missing);
        json.set("health", JSON.valueToTree(TimeoutExplanation.of(tenant, policy, timeouts).fields()));
        json.set("missing", JSON.valueToTree(missing));
        return json;
    }

    /** Returns the policy for programs; the bursts are those in force, also where none are set. */
    private static ObjectNode policy(PolicySettings settings, TenantPolicy policy) {
        ObjectNode json = JSON.valueToTree(settings.json());
        json.put(PolicyField.BURST.jsonKey(), burst(policy.rateLimit()));
        json.put(PolicyField.ADMISSION_BURST.jsonKey(), burst(policy.admissionLimit()));
        return json;
    }

    private static Long burst(Optional<RateLimit> rate) {
        return rate.map(limit -> limit.toleranceNanos() / limit.intervalNanos()).orElse(null);
    }

    private static void balance(ObjectNode json, Depth depth, QueueState.Tenant state) {
        json.putObject("lanes").put("hot", state.hot()).put("overflow", state.overflow()).put("aged", state.aged())
                .put("delay", state.delay());
        TenantBalance balance = depth.balance();
        json.putObject("counts").put("accepted", balance.accepted()).put("done", balance.in(ItemState.DONE))
                .put("dropped", balance.in(ItemState.DROPPED)).put("deadLettered", balance.in(ItemState.DEAD_LETTER));
        json.putObject("rates").put("inPerSecond", state.inPerSecond()).put("outPerSecond", state.outPerSecond())
                .put("drainSeconds", state.drainSeconds()).put("late", state.late());
    }

    private void placement(
            ObjectNode json, String tenant, TenantPolicy policy, Topics topics, List<String> missing,
            long nowMillis) {
        ShardAssignments assignments = new ShardAssignments();
        if (topics.assignsShards()) {
            read(topics.shards(), assignments, missing);
        }
        TenantExplanation explanation = TenantExplanation.of(
                tenant, policies, new PlacementView(configuration.queue(), policies, assignments), assignments,
                MarkRules.rules(sweeps, tenant, policy, nowMillis),
                configuration.router().protection().isOn());
        json.put("placement", explanation.kind().label());
        json.set("slots", JSON.valueToTree(explanation.slots()));
        json.set("partitions", JSON.valueToTree(explanation.partitions()));
        json.put("pool", explanation.pool());
        json.set("rules", JSON.valueToTree(explanation.rules()));
        json.put("compared", explanation.known());
        json.set("neighbours", JSON.valueToTree(explanation.neighbours()));
    }

    /**
     * Reads a whole compacted topic; entries that cannot be decoded are left out, as in a view. If the topic cannot be
     * read, the content stays empty, and the reason is added to what is missing.
     */
    private <C extends ViewContent<?>> C read(String topic, C content, List<String> missing) {
        Map<String, OperatorReads.Latest> entries;
        try {
            entries = reads.latest(topic);
        } catch (KafkaFailure e) {
            missing.add(Printable.onOneLine(e.getMessage()));
            return content;
        }
        entries.forEach((key, latest) -> {
            try {
                content.put(key, latest.value());
            } catch (RuntimeException undecodable) {
                content.remove(key);
            }
        });
        return content;
    }
}
