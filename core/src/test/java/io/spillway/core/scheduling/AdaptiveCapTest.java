package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.DoubleSupplier;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdaptiveCapTest {
    private static final int MOST = 50;
    private static final long MILLI = 1_000_000;

    private final AdaptiveCap cap = new AdaptiveCap();
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
            cap.started(Math.min(i, cap.limit()), nowNanos);
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

    /** A destination that runs 5 attempts at a time: more of them only wait there. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void where_more_concurrency_only_makes_attempts_slower_the_limit_stays_low(long seed) {
        Random random = new Random(seed);
        double mean = meanLimit(20_000, inFlight -> 10 * Math.max(1, inFlight / 5.0) * Math.exp(0.3 * random
                .nextGaussian()));
        assertThat(mean).as("seed %d", seed).isBetween(3.0, MOST / 2.0);
    }

    /** The short ones of these end first, so what ends becomes longer and longer at first. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void durations_that_vary_widely_are_no_reason_for_a_limit(long seed) {
        Random random = new Random(seed);
        double mean = meanLimit(20_000, inFlight -> 50 * Math.exp(3 * random.nextGaussian()));
        assertThat(mean).as("seed %d", seed).isGreaterThan(45);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.02, 0.1, 0.3, 0.5, 0.7, 0.9})
    void two_kinds_of_attempts_are_no_reason_for_a_limit(double shareOfLong) {
        for (long seed = 1; seed <= 5; seed++) {
            Random random = new Random(seed);
            AdaptiveCapTest run = new AdaptiveCapTest();
            double mean = run.meanLimit(20_000, inFlight -> random.nextDouble() < shareOfLong ? 10_000 : 20);
            assertThat(mean).as("seed %d", seed).isGreaterThan(40);
        }
    }

    @Test
    void attempts_that_were_none_do_not_count() {
        fill(10);
        for (int i = 0; i < 1_000; i++) {
            cap.cancelled(cap.started(1, nowNanos));
        }
        rounds(1, 25, () -> 10_000);
        assertThat(cap.isRaised()).isTrue();
    }

    @Test
    void when_latency_rises_a_thousandfold_one_batch_reduces_the_limit_to_a_quarter() {
        fill(10);
        rounds(1, 25, () -> 10_000);
        assertThat(cap.isRaised()).isTrue();
        assertThat(cap.limit()).isEqualTo(12);
    }

    @ParameterizedTest
    @ValueSource(doubles = {50, 1_000, 60_000})
    void when_attempts_become_longer_whatever_the_concurrency_the_limit_returns_after_a_trial(double millis) {
        fill(10);
        int reduced = 0;
        for (int i = 0; i < 100; i++) {
            round(millis);
            reduced += cap.limit() < MOST ? 1 : 0;
        }
        assertThat(reduced).as("rounds").isBetween(1, 5);
        assertThat(cap.isRaised()).isFalse();
    }

    @Test
    void when_the_destination_recovers_the_limit_does() {
        rounds(20, 4, () -> 10);
        for (int i = 0; i < 100; i++) {
            round(10 * Math.max(1, cap.limit() / 2.0));
        }
        assertThat(cap.limit()).isLessThan(MOST / 2);
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
    void the_duration_of_a_rise_is_measured() {
        fill(10);
        rounds(1, 40, () -> 10_000);
        long laterNanos = nowNanos + 1_000_000_000;
        assertThat(cap.isRaisedFor(1_000_000_000, laterNanos)).isTrue();
        assertThat(cap.isRaisedFor(1_000_000_001, laterNanos)).isFalse();
    }

    @Test
    void after_an_idle_period_the_limit_is_reset() {
        fill(10);
        cap.rest();
        assertThat(cap.limit()).isEqualTo(4);
    }

    @Test
    void a_cohort_ends_when_half_of_it_has_ended_and_the_others_have_run_for_longer_than_its_median() {
        for (int i = 0; i < 11; i++) {
            assertThat(cap.started(11, i * MILLI)).isEqualTo(1);
        }
        for (int i = 0; i < 5; i++) {
            cap.ended(1, 10, 10, MOST, 100 * MILLI);
        }
        assertThat(cap.started(11, 100 * MILLI)).as("half of 11 are 6").isEqualTo(AdaptiveCap.NO_COHORT);

        cap.ended(1, 10, 10, MOST, 19 * MILLI);
        assertThat(cap.started(11, 19 * MILLI)).as("the last one may still be shorter than 10 ms")
                .isEqualTo(AdaptiveCap.NO_COHORT);
        cap.ended(1, 10, 10, MOST, 20 * MILLI);
        assertThat(cap.started(11, 20 * MILLI)).isEqualTo(2);
    }

    @Test
    void the_median_is_that_of_the_shortest_attempts_in_whatever_order_they_end() {
        for (int i = 0; i < 11; i++) {
            cap.started(11, 30 * MILLI);
        }
        for (int millis : new int[] {60, 10, 50, 20, 40, 30}) {
            cap.ended(1, millis, 10, MOST, 75 * MILLI);
        }
        assertThat(cap.started(11, 75 * MILLI)).as("45 ms after the last start").isEqualTo(AdaptiveCap.NO_COHORT);

        cap.ended(1, 90, 10, MOST, 90 * MILLI);

        assertThat(cap.started(11, 90 * MILLI)).as("the median is 60 ms").isEqualTo(2);
    }

    @Test
    void what_has_started_before_an_idle_period_belongs_to_no_cohort_afterwards() {
        assertThat(cap.started(1, 0)).isEqualTo(1);
        cap.rest();
        assertThat(cap.started(1, 0)).isEqualTo(2);
    }

    @Test
    void a_limit_grows_by_attempts_that_used_all_of_it_but_one() {
        cap.started(AdaptiveCap.INITIAL - 2, 0);
        cap.ended(1, 10, 0, MOST, 0);
        assertThat(cap.limit()).isEqualTo(AdaptiveCap.INITIAL);
        cap.started(AdaptiveCap.INITIAL - 1, 0);
        cap.ended(1, 10, 0, MOST, 0);
        assertThat(cap.limit()).isEqualTo(AdaptiveCap.INITIAL + 1);
    }

    @Test
    void a_limit_of_which_half_is_used_stays() {
        fill(20);
        rounds(20, MOST / 2, () -> 20);
        assertThat(cap.limit()).isEqualTo(MOST);
        rounds(20, MOST / 2 - 1, () -> 20);
        assertThat(cap.limit()).isLessThan(MOST);
    }

    /** Returns the mean limit over the ends of attempts that use it all the time; their duration is by concurrency. */
    private double meanLimit(int ends, IntToDoubleFunction durationMillis) {
        PriorityQueue<double[]> running = new PriorityQueue<>(Comparator.comparingDouble(each -> each[0]));
        double nowMillis = 0;
        double sum = 0;
        for (int i = 0; i < ends; i++) {
            while (running.size() < cap.limit()) {
                double millis = durationMillis.applyAsDouble(running.size() + 1);
                int cohort = cap.started(running.size() + 1, (long) (nowMillis * 1e6));
                running.add(new double[] {nowMillis + millis, millis, cohort});
            }
            double[] ended = running.remove();
            nowMillis = ended[0];
            cap.ended((int) ended[2], ended[1], running.size(), MOST, (long) (nowMillis * 1e6));
            sum += cap.limit();
        }
        return sum / ends;
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
            long startNanos = nowNanos;
            List<double[]> running = new ArrayList<>();
            for (int inFlight = 1; inFlight <= attempts; inFlight++) {
                running.add(new double[] {millis.getAsDouble(), cap.started(inFlight, nowNanos)});
            }
            running.sort(Comparator.comparingDouble(each -> each[0]));
            for (int at = 0; at < attempts; at++) {
                double[] ended = running.get(at);
                nowNanos = startNanos + (long) (ended[0] * 1e6);
                cap.ended((int) ended[1], ended[0], attempts - 1 - at, MOST, nowNanos);
            }
        }
    }
}
