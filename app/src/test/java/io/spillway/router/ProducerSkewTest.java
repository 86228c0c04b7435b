package io.spillway.router;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Producers whose clocks differ from the broker's. */
class ProducerSkewTest {
    private final RouterHarness router = new RouterHarness();

    @AfterEach
    void close() {
        router.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {-360, -61, 61, 600})
    void a_producer_with_a_wrong_clock_is_measured_by_tenant(int seconds) {
        for (int i = 0; i < 20; i++) {
            send("slow", seconds);
            send("right", -1);
        }
        assertThat(skew("slow")).isEqualTo(seconds);
        assertThat(router.registry.find("spillway.enqueued_at.skew").tag("tenant", "right").gauges()).isEmpty();
    }

    @Test
    void one_of_several_producers_of_a_tenant_is_enough_and_a_late_send_is_not() {
        for (int i = 0; i < 100; i++) {
            send("acme", i % 5 == 0 ? -360 : 0);
            send("bolt", i == 50 ? -360 : 0);
        }
        assertThat(skew("acme")).isEqualTo(-360);
        for (int i = 0; i < 20; i++) {
            send("bolt", 0);
        }
        assertThat(skew("bolt")).isZero();
    }

    @Test
    void a_clock_that_was_corrected_is_right_within_minutes() {
        send("acme", -360);
        assertThat(skew("acme")).isEqualTo(-360);
        for (int turn = 0; turn < 30; turn++) {
            router.metrics.electTenants();
            send("acme", 0);
        }
        assertThat(skew("acme")).isZero();
    }

    private void send(String tenant, int skewSeconds) {
        router.send(RouterHarness.item(
                tenant, RouterHarness.START_MILLIS + Duration.ofSeconds(skewSeconds).toMillis()));
    }

    private double skew(String tenant) {
        return router.registry.get("spillway.enqueued_at.skew").tag("tenant", tenant).gauge().value();
    }
}
