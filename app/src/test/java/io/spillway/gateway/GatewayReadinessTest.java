package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.ConfigurationLoader;
import io.spillway.core.overload.DiskRoom;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.sharding.ShuffleSharder;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.producer.TenantPartitioner;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120) // Against a hang; nothing is measured.
class GatewayReadinessTest {
    @Test
    void a_gateway_whose_items_kafka_does_not_confirm_is_not_ready_until_one_is_confirmed() {
        try (GatewayUnderTest gateway = new GatewayUnderTest(true)) {
            String key = gateway.key("acme");
            assertThat(readyz(gateway)).isEqualTo(200);
            gateway.kafka.sendException = new TimeoutException("not within 10 s");
            assertThat(gateway.post(key, "x").statusCode()).isEqualTo(503);
            assertThat(readyz(gateway)).as("after one item").isEqualTo(200);

            gateway.skippedNanos.addAndGet(TimeUnit.SECONDS.toNanos(11));
            assertThat(gateway.post(key, "x").statusCode()).isEqualTo(503);
            assertThat(readyz(gateway)).isEqualTo(503);
            assertThat(gateway.send("GET", "/readyz", "", "").body()).contains("not-ready", "Kafka");
            assertThat(gateway.send("GET", "/livez", "", "").statusCode())
                    .as("a restart would not help").isEqualTo(200);

            gateway.kafka.sendException = null;
            assertThat(gateway.post(key, "x").statusCode()).isEqualTo(202);
            assertThat(readyz(gateway)).isEqualTo(200);
        }
    }

    @Test
    void a_gateway_is_not_ready_while_the_cluster_does_not_answer() {
        try (GatewayUnderTest gateway = new GatewayUnderTest(true)) {
            gateway.isReachable = false;
            assertThat(readyz(gateway)).isEqualTo(503);
            assertThat(gateway.send("GET", "/livez", "", "").statusCode()).isEqualTo(200);
            gateway.isReachable = true;
            assertThat(readyz(gateway)).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LOW", "OUT"})
    void while_a_disk_has_no_room_no_item_is_accepted_and_everything_else_is_answered(DiskRoom room) {
        try (GatewayUnderTest gateway = new GatewayUnderTest(true)) {
            String key = gateway.key("acme");
            gateway.gateway.follow(room);
            HttpResponse<String> refused = gateway.post(key, "x");
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.body()).contains("no-space", "operator has made room");
            assertThat(refused.headers().firstValue("Retry-After")).contains("10");
            assertThat(gateway.batch(key, "{\"payload\":\"x\"}\n").statusCode()).isEqualTo(503);
            assertThat(gateway.kafka.history()).isEmpty();
            assertThat(readyz(gateway)).as("operators need it").isEqualTo(200);

            gateway.gateway.follow(DiskRoom.ENOUGH);
            assertThat(gateway.post(key, "x").statusCode()).isEqualTo(202);
        }
    }

    @Test
    void one_request_to_a_broker_is_under_way_at_a_time_so_that_none_is_sent_again_as_new_when_another_times_out() {
        assertThat(producerSettings(new TenantPolicies(PolicySettings.NONE_SET)))
                .containsEntry(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1)
                .containsEntry(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 10_000);
    }

    @Test
    void dedicated_partitions_count_in_ingress_too() {
        TenantPolicies policies = new TenantPolicies(PolicySettings.NONE_SET);
        TenantPartitioner.Shards shards =
                (TenantPartitioner.Shards) producerSettings(policies).get(TenantPartitioner.SHARDS);
        int[] into = new int[ShuffleSharder.MAX_SIZE];
        assertThat(shards.ofTenant("acme", 12, into)).isEqualTo(4);

        policies.put("acme", TenantPolicies.encode(
                "acme", PolicySettings.NONE_SET.with(PolicyField.DEDICATED, "2")));
        assertThat(shards.ofTenant("acme", 12, into)).isEqualTo(2);
        Set<Integer> own = Set.of(into[0], into[1]);
        for (int i = 0; i < 100; i++) {
            int count = shards.ofTenant("tenant-" + i, 12, into);
            assertThat(Arrays.stream(into, 0, count).boxed()).hasSize(4).doesNotContainAnyElementsOf(own);
        }
        assertThat(shards.ofTenant("acme", 8, into)).as("while partitions are added").isZero();
    }

    private static Map<String, Object> producerSettings(TenantPolicies policies) {
        return Gateway.producerSettings(ConfigurationLoader.load(Optional.empty(), Map.of(
                "SPILLWAY_KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:1", "SPILLWAY_TOPICS_PARTITIONS", "12"), Map.of()),
                policies);
    }

    private static int readyz(GatewayUnderTest gateway) {
        return gateway.send("GET", "/readyz", "", "").statusCode();
    }
}
