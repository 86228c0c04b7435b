package io.spillway.bench.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.bench.support.Trend.Sample;
import io.spillway.bench.support.Trend.Verdict;
import java.util.List;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A sample every 10 s for an hour, unless told otherwise. */
public class TrendTest {
    private static final int AN_HOUR = 360;
    private static final Offset<Double> ROUNDING = Offset.offset(1e-6);

    /** Shapes of a quantity, by the number of the sample. */
    enum Shape {
        CONSTANT(at -> 57),
        CONSTANT_FRACTION(at -> 0.1),
        LINE(at -> 100 + at),
        SLOW_LINE(at -> 100 + 0.001 * at),
        FALLING(at -> 1_000 - at),
        NOISE(at -> 100 + noise(at)),
        NOISE_ON_A_LINE(at -> 100 + noise(at) + 0.05 * at),
        /** As the disk: it fills until segments are deleted. */
        SAWTOOTH(at -> at % 30),
        SAWTOOTH_ON_A_LINE(at -> at % 30 + 0.5 * at),
        /** A walk drifts, and every sample is like the one before. */
        WALK(at -> IntStream.rangeClosed(0, at).mapToDouble(Shape::noise).sum()),
        WARM_UP(at -> Math.min(at, 80)),
        STEP(at -> at < 250 ? 40 : 41);

        private final IntToDoubleFunction value;

        Shape(IntToDoubleFunction value) {
            this.value = value;
        }

        /** Between -10 and 10, the same for the same number. */
        private static double noise(int at) {
            Random random = new Random(7919L * at);
            random.nextDouble();
            return 20 * random.nextDouble() - 10;
        }

        private List<Sample> samples(int count) {
            return IntStream.range(0, count).mapToObj(at -> new Sample(at / 360.0, value.applyAsDouble(at))).toList();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "CONSTANT, FLAT",
        "CONSTANT_FRACTION, FLAT",
        "LINE, RISING",
        "SLOW_LINE, RISING",
        "FALLING, FLAT",
        "NOISE, FLAT",
        "NOISE_ON_A_LINE, RISING",
        "SAWTOOTH, FLAT",
        "SAWTOOTH_ON_A_LINE, RISING",
        "WALK, FLAT",
        "WARM_UP, FLAT",
        "STEP, RISING",
    })
    void a_quantity_rises_when_its_slope_is_above_three_errors(Shape shape, Verdict verdict) {
        assertThat(Trend.ofLastThreeQuarters(shape.samples(AN_HOUR)).verdict()).isEqualTo(verdict);
    }

    @ParameterizedTest
    @CsvSource({"0, TOO_FEW_SAMPLES", "1, TOO_FEW_SAMPLES", "7, TOO_FEW_SAMPLES", "8, RISING"})
    void too_few_samples_have_no_verdict(int count, Verdict verdict) {
        Trend trend = Trend.of(Shape.LINE.samples(count));

        assertThat(trend.verdict()).isEqualTo(verdict);
        assertThat(trend.samples()).isEqualTo(count);
        assertThat(Double.isNaN(trend.slopePerHour())).isEqualTo(verdict == Verdict.TOO_FEW_SAMPLES);
    }

    /** Twice the points (0, 1), (1, 2), (2, 2), (3, 4): slope 0.9, squares of residuals 0.7 each. */
    @Test
    void slope_and_error_are_those_of_least_squares() {
        Trend trend = Trend.of(List.of(
                new Sample(0, 1), new Sample(1, 2), new Sample(2, 2), new Sample(3, 4),
                new Sample(0, 1), new Sample(1, 2), new Sample(2, 2), new Sample(3, 4)));

        assertThat(trend.mean()).isEqualTo(2.25, ROUNDING);
        assertThat(trend.slopePerHour()).isEqualTo(0.9, ROUNDING);
        assertThat(trend.errorPerHour()).as("1.4 / 6 / 10, and residuals that change sign do not reduce it")
                .isEqualTo(Math.sqrt(1.4 / 6 / 10), ROUNDING);
    }

    @Test
    void samples_that_are_alike_have_a_larger_error() {
        List<Sample> sawtooth = Shape.SAWTOOTH.samples(AN_HOUR);
        List<Sample> shuffled = IntStream.range(0, AN_HOUR)
                .mapToObj(at -> new Sample(at / 360.0, sawtooth.get(at * 77 % AN_HOUR).value())).toList();

        assertThat(Trend.of(sawtooth).errorPerHour()).isGreaterThan(3 * Trend.of(shuffled).errorPerHour());
    }

    @Test
    void a_quantity_that_is_meant_to_grow_does_not_count_as_rising() {
        Trends trends = new Trends();
        trends.expectGrowth("dead letters");
        for (int at = 0; at < 20; at++) {
            trends.add("dead letters", at * 10_000_000_000L, at);
            trends.add("threads", at * 10_000_000_000L, 40);
            trends.add("handles", at * 10_000_000_000L, at);
        }

        assertThat(trends.rising()).containsExactly("handles");
        assertThat(trends.table()).contains("| dead letters | 15 | 0.0 | 12.0 | 19.0 | +360.0 ± 0.0 | grows by design |")
                .contains("| threads | 15 | 40.0 | 40.0 | 40.0 | +0.0 ± 0.0 | flat |");
        assertThat(trends.last("handles")).isEqualTo(19);
        assertThat(trends.last("unknown")).isNaN();
        assertThat(trends.lines()).hasSize(60).first().isEqualTo("0.00000,dead letters,0.0");
    }
}
