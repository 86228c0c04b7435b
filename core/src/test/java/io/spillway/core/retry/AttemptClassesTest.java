package io.spillway.core.retry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttemptClassesTest {
    @ParameterizedTest(name = "{0} attempts: class {1}")
    @CsvSource({"1, 1", "2, 2", "3, 2", "4, 3", "7, 3", "8, 4", "15, 4", "16, 5", "32, 6", "63, 6", "64, 7",
        "2147483647, 7", "0, 1", "-1, 1"})
    void aClassIsTheNumberOfBitsOfTheAttempts(int attempts, int attemptClass) {
        assertThat(AttemptClasses.of(attempts)).isEqualTo(attemptClass);
    }
}
