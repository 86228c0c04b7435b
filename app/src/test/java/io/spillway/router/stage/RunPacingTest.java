package io.spillway.router.stage;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunPacingTest {
    @ParameterizedTest(name = "{0} ms, {1} stages on {2} threads: pause {3} ms")
    @CsvSource({
        "0,     1,   1, 50",
        "-5,    1,   1, 50",
        "25,    1,   1, 50",
        "26,    1,   1, 52",
        "10,    12,  2, 120",
        "10,    13,  2, 140",
        "10,    1,   8, 50",
        "100,   1,   1, 200",
        "60000, 1,   1, 200",
        "60000, 100, 1, 20000",
    })
    void a_pause_leaves_more_than_half_of_the_thread_to_ingress(long took, int stages, int threads, long pause) {
        assertThat(RunPacing.pauseMillis(took, stages, threads)).isEqualTo(pause);
    }
}
