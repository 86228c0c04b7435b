package io.spillway.embed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.settings.InvalidSettingException;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import io.spillway.worker.WorkerException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpillwayWorkerTest {
    /** Nothing listens on port 1. The client gives up after a second, instead of ten. */
    private static final Map<String, String> NOWHERE = Map.of(
            "bootstrap.servers", "127.0.0.1:1", "default.api.timeout.ms", "1000", "request.timeout.ms", "1000");

    /** Counts how often it was closed. */
    private static final class ClosedHandler implements Handler {
        final AtomicInteger closes = new AtomicInteger();

        @Override
        public Outcome handle(Delivery delivery) {
            return Outcome.done();
        }

        @Override
        public void close() {
            closes.incrementAndGet();
        }
    }

    private final ClosedHandler handler = new ClosedHandler();

    @Test
    void a_worker_without_an_address_or_a_handler_is_refused() {
        assertThatThrownBy(() -> SpillwayWorker.builder().handler(handler).build())
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("bootstrap.servers").hasMessageContaining("must be set");
        assertThatThrownBy(() -> SpillwayWorker.builder().kafka(NOWHERE).build())
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("handler(...)");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            worker.slots                     | 0     | must be 1 to 100000
            worker.slots                     | many  | must be a whole number
            worker.drainGrace                | 86400001ms | must be 0ms to 86400000ms
            worker.id                        | a b   | must be at most 100 of
            kafka.prefix                     | a/b   | must be 1 to 200 of
            metrics.tenants                  | 0     | must be 1 to 10000
            defaults.attempts                | none  | must be
            worker.slot                      | 5     | unknown to an embedded worker
            gateway.port                     | 8080  | unknown to an embedded worker
            kafka.properties.acks            | 1     | must be all
            kafka.properties.key.serializer  | x     | must not be set
            """)
    void a_setting_that_is_not_allowed_is_refused_with_what_is(String key, String value, String allowed) {
        assertThatThrownBy(() -> SpillwayWorker.builder()
                        .kafka(NOWHERE).handler(handler).settings(Map.of(key, value)).build())
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining(key + " = " + value).hasMessageContaining(allowed);
    }

    @Test
    void settings_without_a_value_are_those_that_ship_and_the_id_is_the_name_of_the_host() {
        EmbeddedSettings settings = EmbeddedSettings.of(Map.of("kafka.bootstrapServers", "127.0.0.1:1"));

        assertThat(settings.kafka().prefix()).isEqualTo("spillway");
        assertThat(settings.worker().slots()).isEqualTo(50);
        assertThat(settings.tenantSeries()).isEqualTo(100);
        assertThat(settings.worker().id()).matches("[A-Za-z0-9._-]{1,100}");
    }

    @Test
    void a_worker_can_have_the_shards_of_the_routers() {
        SpillwayWorker.builder().kafka(NOWHERE).handler(handler).settings(Map.of(
                "shards.seed", "17", "shards.slots", "3", "shards.table", "2, 0, 1")).build().close();
        assertThatThrownBy(() -> SpillwayWorker.builder()
                        .kafka(NOWHERE).handler(handler).settings(Map.of("shards.slots", "many")).build())
                .isInstanceOf(InvalidSettingException.class).hasMessageContaining("must be a whole number");
    }

    @Test
    void a_start_where_nothing_listens_says_so_and_closes_the_worker() {
        Map<String, String> properties = new HashMap<>(NOWHERE);
        SpillwayWorker worker = SpillwayWorker.builder().kafka(properties).handler(handler).build();
        assertThat(worker.health().reason()).isEqualTo("The worker has not been started.");

        assertThatThrownBy(worker::start).isInstanceOf(WorkerException.class)
                .hasMessageStartingWith("Kafka at 127.0.0.1:1 does not answer")
                .hasMessageContaining("nothing listens on 127.0.0.1:1")
                .hasMessageEndingWith("Check that it runs, its address (bootstrap.servers) and the security properties"
                        + " of the client.");

        assertThat(handler.closes).hasValue(1);
        assertThat(worker.health()).isEqualTo(new WorkerHealth(false, "The worker is closed."));
        assertThatThrownBy(worker::start).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_start_with_properties_that_kafka_refuses_names_them() {
        Map<String, String> properties = new HashMap<>(NOWHERE);
        properties.put("request.timeout.ms", "2000");

        assertThatThrownBy(SpillwayWorker.builder().kafka(properties).handler(handler).build()::start)
                .isInstanceOf(WorkerException.class).hasMessageStartingWith("The worker cannot start: ")
                .hasMessageContaining("The specified value of default.api.timeout.ms must be no smaller than");
    }

    @Test
    void a_worker_that_never_started_closes_its_handler_once() {
        SpillwayWorker worker = SpillwayWorker.builder().kafka(NOWHERE).handler(handler).build();

        worker.close();
        worker.close();

        assertThat(handler.closes).hasValue(1);
    }
}
