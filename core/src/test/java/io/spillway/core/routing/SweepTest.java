package io.spillway.core.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SweepTest {
    @ParameterizedTest
    @CsvSource({
        // started, completed, now, covered before
        "100, 200, 201, 100",
        "100, 200, 200, 100",
        "100, 200, 199, -9223372036854775808",
        "100, 100, 100, 100",
        "100, 9223372036854775807, 1800000000000, -9223372036854775808"
    })
    void a_completed_sweep_covers_items_enqueued_before_its_start(
            long started, long completed, long now, long coveredBefore) {
        assertThat(new Sweep(started, completed).coveredBeforeMillis(now)).isEqualTo(coveredBefore);
    }

    @Test
    void a_sweep_cannot_complete_before_it_starts() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Sweep(100, 99))
                .withMessage("startedAt = 100, completedAt = 99: a sweep cannot complete before it starts");
    }
}
