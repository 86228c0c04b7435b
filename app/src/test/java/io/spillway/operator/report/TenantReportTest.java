package io.spillway.operator.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.Subscription;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.core.retry.AttemptTimeouts.TenantStats;
import io.spillway.core.retry.TimeoutStats;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.TimeoutStatuses;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TenantReportTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final InstantSource CLOCK = () -> Instant.ofEpochMilli(NOW);

    private final Configuration configuration = ConfigurationLoader.load(
            Optional.empty(), Map.of(), Map.of("defaults.attempts", "7"));
    private final Topics topics = new Topics(configuration.queue());
    private final TenantPolicies policies = new TenantPolicies(configuration.defaults());
    private final Depths depths = new Depths();
    private final FakeReads reads = new FakeReads();

    @Test
    void each_field_of_the_policy_has_the_place_where_it_is_set() {
        policy("*", PolicySettings.NONE_SET.with(PolicyField.WEIGHT, "2").with(PolicyField.TTL, "1h"));
        policy("acme", PolicySettings.NONE_SET.with(PolicyField.TTL, "9s"));

        JsonNode sources = report("acme").get("sources");
        assertThat(sources).extracting(JsonNode::toString).contains(
                "{\"field\":\"ttl\",\"value\":\"9s\",\"source\":\"set for acme\"}",
                "{\"field\":\"weight\",\"value\":\"2\",\"source\":\"set for *\"}",
                "{\"field\":\"attempts\",\"value\":\"7\",\"source\":\"configuration\"}",
                "{\"field\":\"timeout\",\"value\":\"30s\",\"source\":\"default\"}");
    }

    @Test
    void the_first_subscriptions_of_a_tenant_are_shown_with_their_number() {
        for (int i = 0; i < 120; i++) {
            Subscription subscription = new Subscription("s%03d".formatted(i), i == 0 ? "orders-*" : "*", i > 0
                    ? PolicySettings.NONE_SET : PolicySettings.NONE_SET.with(PolicyField.PAUSED, "true"));
            policies.put(TenantPolicies.key("acme", subscription.name()), TenantPolicies.encode("acme", subscription));
        }
        assertThat(report("acme").get("subscriptionCount").intValue()).isEqualTo(120);
        assertThat(report("acme").get("subscriptions")).hasSize(100).extracting(JsonNode::toString).contains(
                "{\"name\":\"s000\",\"workloads\":\"orders-*\",\"paused\":true,\"set\":\"paused=true\"}",
                "{\"name\":\"s099\",\"workloads\":\"*\",\"paused\":false,\"set\":\"nothing set\"}");
    }

    @Test
    void a_tenant_with_items_has_lanes_counts_rates_and_a_forecast() {
        policy("acme", PolicySettings.NONE_SET.with(PolicyField.TTL, "9s"));
        long[] counts = new long[ItemState.COUNT];
        counts[ItemState.OVERFLOW.ordinal()] = 100;
        counts[ItemState.DONE.ordinal()] = 20;
        counts[ItemState.DEAD_LETTER.ordinal()] = 3;
        depths.put("acme", Depths.encode("acme", new Depth(
                TenantBalance.EMPTY.plus(ItemState.OUTSIDE, counts), new FlowRates(5, 15, NOW),
                GrowingLimit.NONE, 0)));

        JsonNode acme = report("acme");
        assertThat(acme.get("waiting").longValue()).isEqualTo(100);
        assertThat(acme.get("admittedShare").doubleValue()).isEqualTo(0.5);
        assertThat(acme.get("lanes").toString())
                .isEqualTo("{\"hot\":0,\"overflow\":100,\"aged\":0,\"delay\":0}");
        assertThat(acme.get("counts").toString())
                .isEqualTo("{\"accepted\":123,\"done\":20,\"dropped\":0,\"deadLettered\":3}");
        assertThat(acme.get("rates").toString()).isEqualTo(
                "{\"inPerSecond\":5.0,\"outPerSecond\":15.0,\"drainSeconds\":10.0,\"late\":true}");
    }

    @Test
    void a_tenant_without_items_has_a_policy_and_a_placement() {
        JsonNode unknown = report("unknown");
        assertThat(unknown.get("waiting").isNull()).isTrue();
        assertThat(unknown.has("lanes")).isFalse();
        assertThat(unknown.get("placement").textValue()).isEqualTo("stateless");
        assertThat(unknown.get("partitions")).isNotEmpty();
        assertThat(unknown.at("/policy/attempts").intValue()).isEqualTo(7);
    }

    @Test
    void neighbours_are_the_tenants_with_a_policy_that_share_partitions() {
        policy("acme", PolicySettings.NONE_SET.with(PolicyField.SHARD_SIZE, "24"));
        policy("bolt", PolicySettings.NONE_SET.with(PolicyField.SHARD_SIZE, "24"));
        JsonNode acme = report("acme");
        assertThat(acme.get("compared").intValue()).isEqualTo(1);
        assertThat(acme.at("/neighbours/0/tenant").textValue()).isEqualTo("bolt");
        assertThat(acme.at("/neighbours/0/shared").intValue()).isEqualTo(acme.get("partitions").size());
    }

    @Test
    void the_health_of_its_destination_is_what_the_workers_have_published() {
        TimeoutStatuses statuses = new TimeoutStatuses(CLOCK);
        TimeoutStats stats = new TimeoutStats(500, 10, 90, 99, 40, 12, 3, 1_000, 2_000, true);
        reads.put(topics.timeouts(), "w1", statuses.encode("w1", List.of(new TenantStats("acme", stats))), NOW);
        reads.put(topics.timeouts(), "w2", new byte[] {1, 2, 3}, NOW);

        JsonNode health = report("acme").get("health");
        assertThat(health).as("one status cannot be decoded").hasSize(1);
        assertThat(health.at("/0/worker").textValue()).isEqualTo("w1");
        assertThat(health.at("/0/recentTimeouts").intValue()).isEqualTo(12);
        assertThat(health.at("/0/unavailable").booleanValue()).isTrue();
        assertThat(report("bolt").get("health")).isEmpty();
    }

    @Test
    void what_cannot_be_read_is_missing_and_the_rest_is_shown() {
        reads.failure = Optional.of(new KafkaFailure("cannot read topic x: not authorized"));
        JsonNode acme = report("acme");
        assertThat(acme.get("missing").toString()).isEqualTo("[\"cannot read topic x: not authorized\"]");
        assertThat(acme.get("sources")).isNotEmpty();
        assertThat(acme.get("health")).isEmpty();
    }

    private void policy(String tenant, PolicySettings settings) {
        policies.put(tenant, TenantPolicies.encode(tenant, settings));
    }

    private JsonNode report(String tenant) {
        return new TenantReport(configuration, policies, new Sweeps(), depths, each -> 0.5, reads, CLOCK)
                .of(tenant, NOW);
    }
}
