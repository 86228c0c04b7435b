package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpectedEndsTest {
    private static final int SLOTS = 50;
    private static final long MILLI = 1_000_000;
    private static final double SOON = 250;
    /** At least the time between two counts. */
    private static final long COUNT_MILLIS = 10;

    private final ExpectedEnds ends = new ExpectedEnds(SLOTS);

    @ParameterizedTest(name = "soon is {0} ms: of {1} ms, at {2} ms: {3}")
    @CsvSource({
        "100, 1, 0, true", "100, 1, 101, true", "100, 1, 102, false", "100, 20, 0, true", "100, 20, 139, true",
        "100, 20, 140, false", "100, 100, 0, true", "100, 100, 299, true", "100, 100, 300, false",
        "100, 200, 99, false", "100, 200, 100, true", "100, 200, 499, true", "100, 200, 500, false",
        "100, 10000, 9899, false", "100, 10000, 9900, true", "100, 10000, 20100, false",
        "250, 1000, 749, false", "250, 1000, 750, true", "250, 1000, 2099, true", "250, 1000, 2100, false",
        "100, Infinity, 0, false", "100, Infinity, 1000000, false"})
    void an_attempt_ends_soon_when_that_little_of_its_duration_is_left_until_it_is_late(
            double soonMillis, double expectedMillis, long atMillis, boolean isSoon) {
        ends.soon(soonMillis, 0);
        started(expectedMillis, soonMillis, 0);
        assertThat(ends.soon(soonMillis, atMillis * MILLI)).isEqualTo(isSoon ? 1 : 0);
    }

    @Test
    void starts_and_ends_count_at_once() {
        long originNanos = -1_000_000 * MILLI;
        SlotLease<String> first = started(20, SOON, originNanos);
        started(1_000, SOON, originNanos);
        SlotLease<String> unknown = started(Double.POSITIVE_INFINITY, SOON, originNanos);
        assertThat(ends.soon(SOON, originNanos)).isEqualTo(1);
        started(20, SOON, originNanos + 1);
        assertThat(ends.soon(SOON, originNanos + 1)).isEqualTo(2);
        ends.ended(first);
        ends.ended(unknown);
        SlotLease<String> other = new SlotLease<>("", 0, 0, 0);
        other.borrowedIndex = ExpectedEnds.NONE;
        ends.ended(other);
        assertThat(ends.soon(SOON, originNanos + 2)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"250, 1", "251, 0", "Infinity, 0"})
    void an_attempt_that_starts_counts_at_once_if_all_of_its_duration_is_that_little(double expectedMillis, int soon) {
        ends.soon(SOON, 0);
        started(expectedMillis, SOON, 0);
        assertThat(ends.soon(SOON, 1)).isEqualTo(soon);
    }

    /** 5 ms, and 200 ns for each of 50 slots. At 750 ms a quarter of a second is left. */
    @Test
    void time_alone_changes_the_number_only_with_the_next_full_count() {
        started(1_000, SOON, 0);
        long countedNanos = 749 * MILLI;
        assertThat(ends.soon(SOON, countedNanos)).isZero();
        assertThat(ends.soon(SOON, countedNanos + 5_009_999)).isZero();
        assertThat(ends.soon(SOON, countedNanos + 5_010_000)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "3"})
    void after_any_starts_and_ends_the_number_is_that_of_a_full_count(long seed) {
        Random random = new Random(seed);
        List<SlotLease<String>> running = new ArrayList<>();
        long nowMillis = 0;
        int most = 0;
        for (int step = 0; step < 20_000; step++) {
            nowMillis += random.nextInt(30);
            if (running.size() < SLOTS && random.nextInt(20) > 8) {
                double expected = random.nextInt(10) == 0 ? Double.POSITIVE_INFINITY : Math.pow(10, 4 * random
                        .nextDouble());
                running.add(started(expected, SOON, nowMillis * MILLI));
            } else if (!running.isEmpty()) {
                ends.ended(running.remove(random.nextInt(running.size())));
            }
            if (step % 7 == 0) {
                nowMillis += COUNT_MILLIS;
                long now = nowMillis;
                int expected = (int) running.stream().filter(each -> each.isKnown
                        && isSoon(each.chargedMillis, now - each.startedNanos / MILLI)).count();
                assertThat(ends.soon(SOON, now * MILLI)).as("seed %d, step %d", seed, step).isEqualTo(expected);
                most = Math.max(most, expected);
            }
        }
        assertThat(most).isGreaterThan(5);
    }

    private SlotLease<String> started(double expectedMillis, double soonMillis, long nowNanos) {
        SlotLease<String> attempt = new SlotLease<>("", 0, 0, 0);
        attempt.startedNanos = nowNanos;
        attempt.isKnown = expectedMillis < Double.POSITIVE_INFINITY;
        attempt.chargedMillis = expectedMillis;
        ends.started(attempt, soonMillis);
        return attempt;
    }

    private static boolean isSoon(double expectedMillis, double ranMillis) {
        return ranMillis >= expectedMillis - SOON && ranMillis < 2 * expectedMillis + 100;
    }
}
