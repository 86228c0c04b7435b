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
            # recent use of each tenant                                       |       capacity | fair | limit
            # one among four who are alike: four times their mean
            10 10 10 10 5000                                                  |              0 |    0 | 40
            # two heavy ones do not hide each other, nor does one of many quiet ones
            10 5000 5000                                                      |              0 |    0 | 40
            10 4000 5000 6000 7000 8000                                       |              0 |    0 | 40
            # equal tenants: four times their use, so none is an outlier
            500 500 500 500                                                   |              0 |    0 | 2000
            # a slope without a gap: everybody is within four times those below
            20 60 100 200                                                     |              0 |    0 | 380
            # exactly four times the mean of those below is usual, and so is the minimum
            10 40 5000                                                        |              0 |    0 | 100
            1 16 5000                                                         |              0 |    0 | 34
            # more than that is not, however many are below
            10 10 100                                                         |              0 |    0 | 40
            # few items say nothing
            1 1 1 3                                                           |              0 |    0 | 16
            # unused capacity may be taken: 970 of 1000 for the heaviest tenant, then half for each
            10 10 10 10                                                       |           1000 |  970 | 970
            10 10 10 10 5000                                                  |           1000 |  960 | 960
            10 10 10 10 5000 5000                                             |           1000 |  480 | 480
            # more is asked for than can be done, by all alike: they are not outliers, and all have excess
            500 500 500 500                                                   |           1000 |  250 | 2000
            # a single tenant may have all
            5000                                                              |           1000 | 1000 | 20000
            """)
    void the_outlier_limit_is_the_larger_of_the_usual_multiple_and_the_fair_share(
            String counts, double budget, long fair, long expected) {
        long[] ascending = Arrays.stream(counts.strip().split(" ")).mapToLong(Long::parseLong).toArray();
        long fairShare = OutlierThreshold.fairShare(ascending, ascending.length, budget);
        assertThat(fairShare).isEqualTo(fair);
        assertThat(OutlierThreshold.outlier(ascending, ascending.length, fairShare, MULTIPLE, LEAST))
                .isEqualTo(expected);
    }

    @Test
    void without_tenants_the_whole_capacity_is_fair() {
        assertThat(OutlierThreshold.fairShare(new long[0], 0, 10)).isEqualTo(10);
        assertThat(OutlierThreshold.outlier(new long[0], 0, 10, MULTIPLE, LEAST)).isEqualTo(LEAST);
    }

    /** While the capacity suffices, many tiny tenants must not make all others outliers. */
    @Test
    void many_tiny_tenants_do_not_make_medium_tenants_outliers() {
        long[] ascending = LongStream.concat(
                LongStream.generate(() -> 1).limit(1_000), LongStream.generate(() -> 20).limit(50)).toArray();

        assertThat(limit(ascending, 2_100)).isGreaterThan(20);
        assertThat(limit(ascending, 1_950)).as("just over the capacity").isBetween(16L, 19L);
    }

    private static long limit(long[] ascending, double budget) {
        long fairShare = OutlierThreshold.fairShare(ascending, ascending.length, budget);
        return OutlierThreshold.outlier(ascending, ascending.length, fairShare, MULTIPLE, LEAST);
    }
}
