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
    /** At least the time between two counts. */
    private static final long COUNT_MILLIS = 10;

    private final ExpectedEnds ends = new ExpectedEnds(SLOTS, 10);

    @ParameterizedTest(name = "of {0} ms, at {1} ms: {2}")
    @CsvSource({
        "1, 0, true", "1, 101, true", "1, 102, false", "20, 0, true", "20, 139, true", "20, 140, false",
        "100, 0, true", "100, 299, true", "100, 300, false", "200, 99, false", "200, 100, true", "200, 500, false",
        "1000, 749, false", "1000, 750, true", "1000, 2099, true", "1000, 2100, false", "10000, 7499, false",
        "10000, 7500, true", "10000, 20099, true", "10000, 20100, false", "Infinity, 0, false",
        "Infinity, 1000000, false"})
    void an_attempt_ends_soon_within_100_ms_or_a_quarter_of_its_duration_until_it_is_overdue(
            double expectedMillis, long atMillis, boolean isSoon) {
        ends.soon(true, 0);
        ends.started(expectedMillis, 0);
        assertThat(ends.soon(true, atMillis * MILLI)).isEqualTo(isSoon ? 1 : 0);
    }

    @ParameterizedTest(name = "of {0} ms, at {1} ms: {2}")
    @CsvSource({
        "1, 0, true", "1, 102, false", "100, 0, true", "200, 99, false", "200, 100, true", "1000, 899, false",
        "1000, 900, true", "1000, 2100, false", "10000, 9899, false", "10000, 9900, true", "Infinity, 1000000, false"})
    void beside_other_tenants_soon_is_within_100_ms(double expectedMillis, long atMillis, boolean isSoon) {
        ends.soon(false, 0);
        ends.started(expectedMillis, 0);
        assertThat(ends.soon(false, atMillis * MILLI)).isEqualTo(isSoon ? 1 : 0);
    }

    @Test
    void attempts_count_anew_as_soon_as_a_tenant_is_alone_or_no_longer() {
        ends.started(1_000, 0);
        assertThat(ends.soon(false, 800 * MILLI)).isZero();
        assertThat(ends.soon(true, 800 * MILLI)).isEqualTo(1);
        assertThat(ends.soon(false, 800 * MILLI)).isZero();
    }

    @ParameterizedTest(name = "{1} of {0} slots reserved: from {2} ms")
    @CsvSource({"50, 5, 8750", "50, 25, 3750", "50, 45, 0", "2, 1, 3750"})
    void soon_is_as_long_as_it_takes_until_the_reserve_comes_free(int slots, int reserved, long fromMillis) {
        ExpectedEnds other = new ExpectedEnds(slots, reserved);
        other.started(10_000, 0);
        assertThat(other.soon(true, (fromMillis - 1) * MILLI)).isZero();
        assertThat(other.soon(true, (fromMillis + COUNT_MILLIS) * MILLI)).isEqualTo(1);
    }

    @Test
    void starts_and_ends_count_at_once() {
        long originNanos = -1_000_000 * MILLI;
        int first = ends.started(20, originNanos);
        ends.started(1_000, originNanos);
        int unknown = ends.started(Double.POSITIVE_INFINITY, originNanos);
        assertThat(ends.soon(true, originNanos)).isEqualTo(1);
        ends.started(20, originNanos + 1);
        assertThat(ends.soon(true, originNanos + 1)).isEqualTo(2);
        ends.ended(first);
        ends.ended(unknown);
        assertThat(ends.soon(true, originNanos + 2)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "3"})
    void after_any_starts_and_ends_the_number_is_that_of_a_full_count(long seed) {
        Random random = new Random(seed);
        List<double[]> running = new ArrayList<>();
        long nowMillis = 0;
        int most = 0;
        for (int step = 0; step < 20_000; step++) {
            nowMillis += random.nextInt(30);
            if (running.size() < SLOTS && random.nextInt(20) > 8) {
                double expected = random.nextInt(10) == 0 ? Double.POSITIVE_INFINITY : Math.pow(10, 4 * random
                        .nextDouble());
                running.add(new double[] {ends.started(expected, nowMillis * MILLI), expected, nowMillis});
            } else if (!running.isEmpty()) {
                ends.ended((int) running.remove(random.nextInt(running.size()))[0]);
            }
            if (step % 7 == 0) {
                nowMillis += COUNT_MILLIS;
                long now = nowMillis;
                int expected = (int) running.stream().filter(each -> isSoon(each[1], now - each[2])).count();
                assertThat(ends.soon(true, now * MILLI)).as("seed %d, step %d", seed, step).isEqualTo(expected);
                most = Math.max(most, expected);
            }
        }
        assertThat(most).isGreaterThan(5);
    }

    private static boolean isSoon(double expectedMillis, double ranMillis) {
        return ranMillis >= expectedMillis - Math.max(100, expectedMillis / 4) && ranMillis < 2 * expectedMillis + 100;
    }
}
