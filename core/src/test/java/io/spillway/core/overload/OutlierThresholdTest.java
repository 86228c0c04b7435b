package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The multiple is 4 and the minimum 16. */
class OutlierThresholdTest {
    private static final double MULTIPLE = 4;
    private static final long LEAST = 16;

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            # recent use of each tenant                                       |       capacity | limit
            # one among four who are alike: four times their mean
            10 10 10 10 5000                                                  |              0 | 40
            # two heavy ones do not hide each other, nor does one of many quiet ones
            10 5000 5000                                                      |              0 | 40
            10 4000 5000 6000 7000 8000                                       |              0 | 40
            # equal tenants: four times their use, so none is an outlier
            500 500 500 500                                                   |              0 | 2000
            # a slope without a gap: everybody is within four times those below
            20 60 100 200                                                     |              0 | 380
            # few items say nothing
            1 1 1 3                                                           |              0 | 16
            # unused capacity may be taken: 960 of 1000 for one more tenant, then half for each
            10 10 10 10                                                       |           1000 | 960
            10 10 10 10 5000                                                  |           1000 | 480
            10 10 10 10 5000 5000                                             |           1000 | 320
            # more is asked for than can be done, by all alike: they are still not far over each other
            500 500 500 500                                                   |           1000 | 2000
            """)
    void the_limit_is_the_larger_of_the_usual_multiple_and_the_fair_share(
            String counts, double budget, long expected) {
        long[] ascending = Arrays.stream(counts.strip().split(" ")).mapToLong(Long::parseLong).toArray();
        assertThat(OutlierThreshold.above(ascending, ascending.length, budget, MULTIPLE, LEAST)).isEqualTo(expected);
    }

    @Test
    void a_single_tenant_has_no_limit() {
        assertThat(OutlierThreshold.above(new long[] {1_000_000}, 1, 10, MULTIPLE, LEAST))
                .isEqualTo(OutlierThreshold.NO_LIMIT);
        assertThat(OutlierThreshold.above(new long[0], 0, 10, MULTIPLE, LEAST)).isEqualTo(OutlierThreshold.NO_LIMIT);
    }

    /** While the capacity suffices, many tiny tenants must not make all others outliers. */
    @Test
    void many_tiny_tenants_do_not_make_medium_tenants_outliers() {
        long[] ascending = LongStream.concat(
                LongStream.generate(() -> 1).limit(1_000), LongStream.generate(() -> 20).limit(50)).toArray();

        assertThat(OutlierThreshold.above(ascending, ascending.length, 2_100, MULTIPLE, LEAST)).isGreaterThan(20);
        assertThat(OutlierThreshold.above(ascending, ascending.length, 1_950, MULTIPLE, LEAST))
                .as("just over the capacity").isBetween(16L, 19L);
    }
}
