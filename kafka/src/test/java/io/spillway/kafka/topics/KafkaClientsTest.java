package io.spillway.kafka.topics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.policy.SettingsBinder;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KafkaClientsTest {
    private static final String REQUEST = "request.timeout.ms";
    private static final String API = "default.api.timeout.ms";

    @ParameterizedTest
    @CsvSource({"request.timeout.ms, 20000", "request.timeout.ms, 45000", "default.api.timeout.ms, 5000",
        "default.api.timeout.ms, 60000"})
    void one_timeout_alone_is_enough_for_an_admin_client(String name, String millis) {
        // The client connects later.
        try (Admin admin = clients(Map.of(name, millis)).admin(10_000)) {
            admin.close(Duration.ZERO);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 30000, 10000", "20000, 0, 30000, 20000", "45000, 0, 45000, 45000", "0, 5000, 5000, 5000",
        "0, 60000, 60000, 10000", "20000, 5000, 5000, 20000"})
    void a_timeout_that_is_not_set_fits_the_one_that_is(int request, int api, int apiThen, int requestThen) {
        Map<String, Object> set = new HashMap<>();
        if (request > 0) {
            set.put(REQUEST, String.valueOf(request));
        }
        if (api > 0) {
            set.put(API, String.valueOf(api));
        }
        Map<String, Object> all = KafkaClients.withTimeouts(set, 30_000, 10_000);

        assertThat(all.get(API)).hasToString(String.valueOf(apiThen));
        assertThat(all.get(REQUEST)).hasToString(String.valueOf(requestThen));
    }

    @Test
    void two_timeouts_that_contradict_each_other_are_refused_by_kafka() {
        assertThatThrownBy(() -> clients(Map.of(REQUEST, "20000", API, "5000")).admin())
                .isInstanceOf(KafkaException.class).hasRootCauseInstanceOf(ConfigException.class);
    }

    private static KafkaClients clients(Map<String, String> properties) {
        Map<String, String> values = new HashMap<>(Map.of("kafka.bootstrapServers", "127.0.0.1:1"));
        properties.forEach((name, value) -> values.put("kafka.properties." + name, value));
        return new KafkaClients(new SettingsBinder(values).bind(QueueSettings.class));
    }
}
