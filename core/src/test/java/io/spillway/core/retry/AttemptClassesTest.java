package io.spillway.core.retry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttemptClassesTest {
    private final AttemptClasses<Long> ends = new AttemptClasses<>(Long::longValue);

    @ParameterizedTest(name = "{0} attempts: class {1}")
    @CsvSource({"1, 1", "2, 2", "3, 2", "4, 3", "7, 3", "8, 4", "15, 4", "16, 5", "32, 6", "63, 6", "64, 7",
        "2147483647, 7", "0, 1", "-1, 1"})
    void aClassIsTheNumberOfBitsOfTheAttempts(int attempts, int attemptClass) {
        assertThat(AttemptClasses.of(attempts)).isEqualTo(attemptClass);
    }

    @Test
    void theLowestClassGoesFirstAndTheFirstEndIsThatOfAnyClass() {
        assertThat(ends.lowest()).isEmpty();
        assertThat(ends.firstEndMillis()).isEmpty();
        ends.set(7, 100L);
        ends.set(2, 300L);
        ends.set(4, 200L);
        assertThat(ends.lowest()).contains(300L);
        assertThat(ends.firstToEnd()).contains(100L);
        assertThat(ends.firstEndMillis()).hasValue(100);

        ends.set(1, Long.MAX_VALUE);
        ends.remove(7);
        assertThat(ends.lowest()).contains(Long.MAX_VALUE);
        assertThat(ends.firstEndMillis()).hasValue(200);
        ends.remove(4);
        ends.remove(2);
        assertThat(ends.firstEndMillis()).hasValue(Long.MAX_VALUE);
        ends.remove(1);
        assertThat(ends.lowest()).isEmpty();
    }
}
