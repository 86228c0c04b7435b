package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WriteHealthTest {
    private final WriteHealth health = new WriteHealth();

    @Test
    void writes_fail_when_none_is_confirmed_for_ten_seconds() {
        assertThat(health.failed(seconds(100))).as("the first").isTrue();
        assertThat(health.isFailing(seconds(120))).as("one item may have bad luck").isFalse();
        assertThat(health.failed(seconds(109))).isFalse();
        assertThat(health.isFailing(seconds(109))).isFalse();
        health.failed(seconds(110));
        assertThat(health.isFailing(seconds(110))).isTrue();
    }

    @Test
    void a_confirmed_item_ends_the_failure() {
        health.failed(seconds(100));
        health.failed(seconds(110));
        assertThat(health.confirmed()).isEqualTo(2);
        assertThat(health.isFailing(seconds(110))).isFalse();
        assertThat(health.confirmed()).isZero();

        assertThat(health.failed(seconds(111))).as("counts from here").isTrue();
        health.failed(seconds(120));
        assertThat(health.isFailing(seconds(120))).isFalse();
    }

    @Test
    void after_half_a_minute_without_an_attempt_the_next_one_decides() {
        health.failed(seconds(100));
        health.failed(seconds(110));
        assertThat(health.isFailing(seconds(139))).isTrue();
        assertThat(health.isFailing(seconds(140))).isFalse();
        health.failed(seconds(150));
        assertThat(health.isFailing(seconds(150))).as("the attempt failed").isTrue();
    }

    private static long seconds(long n) {
        return TimeUnit.SECONDS.toNanos(n);
    }
}
