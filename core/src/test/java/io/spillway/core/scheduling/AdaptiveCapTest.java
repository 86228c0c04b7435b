package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdaptiveCapTest {
    private static final int MOST = 50;

    private final AdaptiveCap cap = new AdaptiveCap();
    private double common;
    private long nowNanos;

    @Test
    void a_fully_used_limit_doubles_with_each_batch_of_attempts() {
        assertThat(cap.limit()).isEqualTo(4);
        round(20);
        assertThat(cap.limit()).isEqualTo(8);
        round(20);
        assertThat(cap.limit()).isEqualTo(16);
        round(20);
        round(20);
        round(20);
        assertThat(cap.limit()).isEqualTo(MOST);
    }

    @Test
    void without_completions_it_does_not_grow() {
        for (int i = 1; i <= 1_000; i++) {
            cap.started(Math.min(i, cap.limit()));
        }
        assertThat(cap.limit()).isEqualTo(4);
    }

    @Test
    void an_unused_limit_does_not_grow_and_falls_when_its_use_ends() {
        rounds(100, 1, () -> 20);
        assertThat(cap.limit()).isEqualTo(4);
        fill(20);
        rounds(1_000, 2, () -> 20);
        assertThat(cap.limit()).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.1, 10, 1_000, 60_000})
    void stable_latency_is_never_throttled_whatever_its_level(double millis) {
        fill(millis);
        for (int i = 0; i < 1_000; i++) {
            round(millis);
            assertThat(cap.limit()).isEqualTo(MOST);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void variable_latency_is_not_throttled(long seed) {
        Random random = new Random(seed);
        // Lognormal: one attempt in 40 takes 50 times the median or more.
        DoubleSupplier wide = () -> 100 * Math.exp(2 * random.nextGaussian());
        rounds(50, MOST, wide);
        int throttled = 0;
        for (int i = 0; i < 20_000; i++) {
            rounds(1, 1, wide);
            throttled += cap.isRaised() ? 1 : 0;
        }
        assertThat(throttled).as("seed %d", seed).isLessThan(20);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void one_slow_attempt_in_fifty_is_not_a_rise(long seed) {
        Random random = new Random(seed);
        fill(20);
        rounds(20, MOST, () -> random.nextInt(50) == 0 ? 30_000 : 20);
        assertThat(cap.limit()).as("seed %d", seed).isEqualTo(MOST);
    }

    @Test
    void when_latency_rises_a_thousandfold_one_batch_reduces_the_limit_to_one() {
        fill(10);
        round(10_000);
        assertThat(cap.isRaised()).isTrue();
        assertThat(cap.limit()).isEqualTo(1);
        rounds(100, 1, () -> 10_000);
        assertThat(cap.limit()).isEqualTo(1);
    }

    @Test
    void when_latency_falls_again_it_recovers() {
        fill(10);
        rounds(5, 1, () -> 10_000);
        rounds(2, MOST, () -> 10_000);
        assertThat(cap.limit()).isEqualTo(1);

        int rounds = 0;
        while (cap.limit() < MOST) {
            round(10);
            rounds++;
        }
        assertThat(rounds).isLessThan(100);
    }

    @Test
    void latency_that_stays_high_becomes_the_baseline() {
        fill(10);
        rounds(1_000, 1, () -> 100);
        assertThat(cap.isRaised()).isFalse();
    }

    @Test
    void a_rise_shared_by_all_tenants_does_not_count() {
        common = Math.log(5);
        fill(10);
        round(40);
        assertThat(cap.isRaised()).isFalse();
        assertThat(cap.limit()).isEqualTo(MOST);
        round(10_000);
        assertThat(cap.isRaised()).isTrue();
    }

    @Test
    void the_duration_of_a_rise_is_measured() {
        fill(10);
        round(10_000);
        long before = nowNanos;
        round(10_000);
        assertThat(cap.isRaisedFor(nowNanos - before, nowNanos)).isTrue();
        assertThat(cap.isRaisedFor(10_000_000_000L, nowNanos)).isFalse();
    }

    @Test
    void after_an_idle_period_the_limit_is_reset() {
        fill(10);
        cap.rest();
        assertThat(cap.limit()).isEqualTo(4);
    }

    private void fill(double millis) {
        while (cap.limit() < MOST) {
            round(millis);
        }
    }

    /** Starts as many attempts as the limit allows, and ends them together. */
    private void round(double millis) {
        rounds(1, cap.limit(), () -> millis);
    }

    private void rounds(int rounds, int attempts, DoubleSupplier millis) {
        for (int i = 0; i < rounds; i++) {
            for (int inFlight = 1; inFlight <= attempts; inFlight++) {
                cap.started(inFlight);
            }
            for (int left = attempts - 1; left >= 0; left--) {
                nowNanos += 1_000_000;
                cap.ended(millis.getAsDouble(), left, MOST, common, nowNanos);
            }
        }
    }
}
