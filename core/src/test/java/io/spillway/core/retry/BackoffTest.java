package io.spillway.core.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.policy.Jitter;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackoffTest {
    private static final long SEED = 42;

    @ParameterizedTest(name = "base {0}, cap {1}, attempt {2}: {3} ms")
    @CsvSource({
        "1000, 300000, 1, 1000",
        "1000, 300000, 2, 2000",
        "1000, 300000, 9, 256000",
        "1000, 300000, 10, 300000",
        "1000, 300000, 64, 300000",
        "1000, 300000, 65, 300000",
        "1000, 300000, 2147483647, 300000",
        "5000, 1000, 1, 1000",
        "1, 9223372036854775807, 63, 4611686018427387904",
        "1, 9223372036854775807, 64, 9223372036854775807",
        "3, 9223372036854775807, 63, 9223372036854775807",
    })
    void withoutJitterTheWaitDoublesUpToTheCap(long base, long cap, int attempt, long wait) {
        assertThat(Backoff.waitMillis(Jitter.NONE, base, cap, attempt, 0, new Random(SEED))).isEqualTo(wait);
    }

    @ParameterizedTest(name = "{0}, attempt {1}, previous {2}: {3} to {4} ms")
    @CsvSource({
        "FULL, 1, 0, 0, 100",
        "FULL, 3, 0, 0, 400",
        "FULL, 30, 0, 0, 1000",
        "EQUAL, 1, 0, 50, 100",
        "EQUAL, 3, 0, 200, 400",
        "EQUAL, 30, 0, 500, 1000",
        "DECORRELATED, 1, 0, 100, 300",
        "DECORRELATED, 9, 100, 100, 300",
        "DECORRELATED, 2, 250, 100, 750",
    })
    void jitterIsUniformOverItsRange(Jitter jitter, int attempt, long previous, long least, long most) {
        Random random = new Random(SEED);
        long[] waits = LongStream.generate(() -> Backoff.waitMillis(jitter, 100, 1_000, attempt, previous, random))
                .limit(20_000).toArray();
        assertThat(waits).as("seed %d", SEED).contains(least, most);
        assertThat(LongStream.of(waits).min().orElseThrow()).isEqualTo(least);
        assertThat(LongStream.of(waits).max().orElseThrow()).isEqualTo(most);
        assertThat(LongStream.of(waits).average().orElseThrow()).as("seed %d", SEED)
                .isCloseTo((least + most) / 2.0, within((most - least) * 0.02));
    }

    @Test
    void decorrelatedWaitsStayBetweenBaseAndCap() {
        Random random = new Random(SEED);
        long wait = 0;
        for (int attempt = 1; attempt < 10_000; attempt++) {
            wait = Backoff.waitMillis(Jitter.DECORRELATED, 100, 1_000, attempt, wait, random);
            assertThat(wait).as("seed %d", SEED).isBetween(100L, 1_000L);
        }
    }

    @ParameterizedTest
    @CsvSource({"FULL", "EQUAL", "DECORRELATED", "NONE"})
    void theLargestNumbersDoNotOverflow(Jitter jitter) {
        Random random = new Random(SEED);
        for (int i = 0; i < 1_000; i++) {
            assertThat(Backoff.waitMillis(jitter, Long.MAX_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE,
                    random))
                    .isNotNegative();
            assertThat(Backoff.waitMillis(jitter, Long.MAX_VALUE, 10, 1, Long.MAX_VALUE, random)).isBetween(0L, 10L);
        }
    }

    @Test
    void numbersOutOfRangeAreRejected() {
        Random random = new Random(SEED);
        assertThatThrownBy(() -> Backoff.waitMillis(Jitter.FULL, 0, 1, 1, 0, random)).hasMessageContaining("base 0 ms");
        assertThatThrownBy(() -> Backoff.waitMillis(Jitter.FULL, 1, 0, 1, 0, random)).hasMessageContaining("cap 0 ms");
        assertThatThrownBy(() -> Backoff.waitMillis(Jitter.FULL, 1, 1, 0, 0, random)).hasMessageContaining("attempt 0");
        assertThatThrownBy(() -> Backoff.waitMillis(Jitter.FULL, 1, 1, 1, -1, random))
                .hasMessageContaining("wait -1 ms");
    }
}
