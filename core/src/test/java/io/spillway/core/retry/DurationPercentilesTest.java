package io.spillway.core.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationPercentilesTest {
    private static final long MILLI = 1_000_000;
    private static final double DAY_MILLIS = 86_400_000;

    @ParameterizedTest
    @CsvSource({"-1, 0.065536", "0, 0.065536", "65535, 0.065536", "65536, 0.131072", "1000000, 1.048576",
        "20000000, 20.97152", "1000000000, 1006.632960", "600000000000, 618475.290624",
        "86400000000000, 87960930.22208", "9223372036854775807, 140737488.355328"})
    void aDurationIsReportedAsTheUpperEndOfItsBucket(long nanos, double millis) {
        DurationPercentiles durations = new DurationPercentiles();
        durations.add(nanos, 1);
        assertThat(durations.millis(0.5)).isCloseTo(millis, within(1e-6));
        assertThat(durations.millis(0.999)).isCloseTo(millis, within(1e-6));
    }

    @Test
    void percentilesAreThoseOfTheSamplesRoundedUpByLessThanABucket() {
        long seed = new Random().nextLong();
        System.out.println("DurationPercentilesTest seed " + seed);
        RandomGenerator random = new Random(seed);
        for (int round = 0; round < 50; round++) {
            DurationPercentiles durations = new DurationPercentiles();
            double[] millis = new double[random.nextInt(1, 900)];
            for (int i = 0; i < millis.length; i++) {
                millis[i] = Math.min(DAY_MILLIS, 5 * Math.exp(random.nextGaussian() * 3));
                durations.add((long) (millis[i] * MILLI), 1);
            }
            Arrays.sort(millis);
            for (double share : new double[] {0.25, 0.5, 0.99, 0.999}) {
                // Older samples weigh up to 10% less, so the rank may differ by that.
                int least = (int) (share * millis.length * 0.9);
                int most = Math.min(millis.length - 1, (int) (share * millis.length * 1.1) + 1);
                assertThat(durations.millis(share)).as("share %s of %s, seed %s", share, millis.length, seed)
                        .isBetween(millis[least], millis[most] * 1.0625 + 0.066);
            }
            assertThat(durations.samples()).isBetween(millis.length * 0.94, millis.length * 1.0001);
        }
    }

    @Test
    void theP999OfAThousandSamplesIsTheLargestAndOfManyIsNot() {
        DurationPercentiles durations = new DurationPercentiles();
        add(durations, 20, 999);
        add(durations, 900, 1);
        assertThat(durations.millis(0.999)).isBetween(900.0, 960.0);
        assertThat(durations.millis(0.99)).isBetween(20.0, 21.3);
        add(durations, 20, 2_000);
        assertThat(durations.millis(0.999)).isBetween(20.0, 21.3);
    }

    /** The last sample has just not a thousandth of the weight. */
    @Test
    void aRoundingErrorDoesNotTurnTheLargestSampleIntoTheOneBelowIt() {
        DurationPercentiles durations = new DurationPercentiles();
        durations.add(20 * MILLI, 999.17);
        durations.add(900 * MILLI, 1);
        assertThat(durations.millis(0.999)).isBetween(900.0, 960.0);
        durations.add(20 * MILLI, 1);
        assertThat(durations.millis(0.999)).isBetween(20.0, 21.3);
    }

    @Test
    void samplesLoseWeightSoThatAChangeIsFollowedInSevenWindows() {
        DurationPercentiles durations = new DurationPercentiles();
        add(durations, 500, 100_000);
        assertThat(durations.samples()).isCloseTo(DurationPercentiles.WINDOW, within(2.0));
        add(durations, 20, 7 * DurationPercentiles.WINDOW);
        assertThat(durations.millis(0.999)).isBetween(20.0, 21.3);
    }

    @Test
    void theUnitIsScaledBackBeforeItOverflows() {
        DurationPercentiles durations = new DurationPercentiles();
        for (int i = 0; i < 2_000_000; i++) {
            durations.add(i % 2 == 0 ? 20 * MILLI : 80 * MILLI, i % 1_000 == 0 ? 32 : 1);
        }
        assertThat(durations.samples()).isBetween(8_000.0, 8_600.0);
        assertThat(durations.millis(0.3)).isBetween(20.0, 21.3);
        assertThat(durations.millis(0.7)).isBetween(80.0, 85.0);
    }

    @Test
    void olderSamplesCanBeReducedToAFew() {
        DurationPercentiles durations = new DurationPercentiles();
        add(durations, 20, 5_000);
        durations.decayTo(300);
        assertThat(durations.samples()).isCloseTo(300, within(0.1));
        durations.decayTo(400);
        assertThat(durations.samples()).isCloseTo(300, within(0.1));
        add(durations, 60, 350);
        assertThat(durations.millis(0.5)).isBetween(60.0, 64.0);
    }

    @Test
    void withoutSamplesEveryPercentileIsZero() {
        assertThat(new DurationPercentiles().millis(0.999)).isZero();
        assertThat(new DurationPercentiles().samples()).isZero();
    }

    private static void add(DurationPercentiles durations, long millis, int count) {
        for (int i = 0; i < count; i++) {
            durations.add(millis * MILLI, 1);
        }
    }
}
