package io.spillway.router;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RouterClientsTest {
    @ParameterizedTest
    @CsvSource({"request.timeout.ms, 90000", "default.api.timeout.ms, 5000"})
    void one_timeout_alone_is_enough_for_the_admin_client_of_kafka_streams(String name, String millis) {
        // An admin client needs none of the parts, and connects later.
        RouterClients clients = new RouterClients(null, null, null, null, false);
        try (Admin admin = clients.getAdmin(Map.of("bootstrap.servers", "127.0.0.1:1", name, millis))) {
            assertThat(admin).isNotNull();
            admin.close(Duration.ZERO);
        }
    }
}
