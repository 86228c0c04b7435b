package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.ConfigurationLoader;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.junit.jupiter.api.Test;

class GatewayProducerTest {
    @Test
    void one_request_to_a_broker_is_under_way_at_a_time_so_that_none_is_sent_again_as_new_when_another_times_out() {
        Map<String, Object> settings = Gateway.producerSettings(ConfigurationLoader.load(
                Optional.empty(), Map.of("SPILLWAY_KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:1"), Map.of()));

        assertThat(settings).containsEntry(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1)
                .containsEntry(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 10_000);
    }
}
