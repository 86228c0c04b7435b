package io.spillway.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DemoReportTest {
    private final DemoScenario scenario = new DemoScenario(40, () -> Instant.EPOCH);
    private final DemoTally spillway = new DemoTally();
    private final DemoTally fifo = new DemoTally();

    @BeforeEach
    void one_quiet_item_before_and_one_during_the_disturbance_waited_a_second() {
        for (DemoTally tally : List.of(spillway, fifo)) {
            quietItemWaits(tally, scenario.phase("before").fromMillis(), 1_000);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "100,  250, 'at most 100 ms, and 250 ms in the FIFO queue: Spillway was 2.5 times faster.'",
        "100, 2000, 'at most 100 ms, and 2.0 s in the FIFO queue: Spillway was 20 times faster.'",
        "100,  110, 'about the same.'",
        "250,  100, 'at most 250 ms, and 100 ms in the FIFO queue: Spillway was 2.5 times slower.'"
    })
    void the_finding_on_quiet_tenants_is_the_measured_result(long ours, long theirs, String expected) {
        quietItemWaits(spillway, scenario.phase("during").fromMillis(), ours);
        quietItemWaits(fifo, scenario.phase("during").fromMillis(), theirs);

        assertThat(findings()).first().asString().endsWith(expected);
    }

    @ParameterizedTest
    @CsvSource({"10000, 10500, about the same", "10000, 20000, 2.0 times faster", "20000, 10000, 2.0 times slower"})
    void the_finding_on_the_noisy_tenant_is_the_measured_result(long ours, long theirs, String expected) {
        quietItemWaits(spillway, scenario.phase("during").fromMillis(), 1);
        quietItemWaits(fifo, scenario.phase("during").fromMillis(), 1);
        spillway.begun(DemoScenario.NOISY, false, 0, 1, 0);
        spillway.ended(DemoScenario.NOISY, true, scenario.flood().fromMillis() + ours);
        fifo.begun(DemoScenario.NOISY, false, 0, 1, 0);
        fifo.ended(DemoScenario.NOISY, true, scenario.flood().fromMillis() + theirs);

        assertThat(findings()).anySatisfy(finding ->
                assertThat(finding).contains("items of noisy were done").contains(expected));
    }

    @Test
    void an_item_counts_for_the_phase_in_which_it_was_due() {
        quietItemWaits(fifo, scenario.phase("before").toMillis() - 1, 30_000);

        assertThat(fifo.waits(scenario.phase("before")).items()).isEqualTo(2);
        assertThat(fifo.waits(scenario.phase("during")).items()).isZero();
    }

    @Test
    void the_99th_percentile_leaves_out_one_of_a_hundred() {
        for (int i = 1; i < 100; i++) {
            quietItemWaits(spillway, scenario.phase("before").fromMillis(), i);
        }

        assertThat(spillway.waits(scenario.phase("before"))).isEqualTo(new DemoTally.Waits(100, 50L, 99L));
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 7, 40, 3_600})
    void the_events_have_the_same_order_at_any_length(int seconds) {
        DemoScenario stretched = new DemoScenario(seconds, () -> Instant.EPOCH);

        assertThat(new long[] {
                    0, stretched.phase("before").fromMillis(), stretched.phase("during").fromMillis(),
                    stretched.flood().fromMillis(), stretched.flood().toMillis(), stretched.phase("after").fromMillis(),
                    stretched.script().durationMillis()
                })
                .isSorted()
                .doesNotHaveDuplicates();
        assertThat(stretched.script().durationMillis()).isEqualTo(seconds * 1_000L);
    }

    private List<String> findings() {
        return new DemoReport(scenario, spillway, fifo, List.of(), List.of()).findings();
    }

    private static void quietItemWaits(DemoTally tally, long dueMillis, long millis) {
        tally.begun("quiet-1", true, dueMillis, 1, dueMillis + millis);
        tally.ended("quiet-1", true, dueMillis + millis);
    }
}
