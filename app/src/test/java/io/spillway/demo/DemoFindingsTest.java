package io.spillway.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DemoFindingsTest {
    private static final long START_MILLIS = 1_000_000;

    private final DemoPlan plan = new DemoPlan(40);
    private long nowMillis = START_MILLIS;
    private final DemoClock clock = new DemoClock(() -> Instant.ofEpochMilli(nowMillis));
    private final DemoTally spillway = new DemoTally(plan, clock);
    private final DemoTally fifo = new DemoTally(plan, clock);

    @ParameterizedTest
    @CsvSource({
        "100,  250, 'at most 100 ms in Spillway and 250 ms in the FIFO queue, which is 2.5 times as long.'",
        "100, 2000, 'at most 100 ms in Spillway and 2.0 s in the FIFO queue, which is 20 times as long.'",
        "100,  120, 'no significant difference in this run.'",
        "250,  100, 'at most 250 ms in Spillway and 100 ms in the FIFO queue: in this run Spillway was slower.'"
    })
    void the_finding_on_quiet_tenants_is_the_measured_result(long ours, long theirs, String expected) {
        clock.startIn(0);
        quietItemWaits(spillway, plan.floodFromMillis(), ours);
        quietItemWaits(fifo, plan.floodFromMillis(), theirs);

        assertThat(findings(true)).anySatisfy(finding -> assertThat(finding).endsWith(expected));
    }

    @Test
    void an_item_counts_for_the_phase_in_which_it_was_due() {
        clock.startIn(0);
        quietItemWaits(fifo, plan.slowFromMillis() - 1, 30_000);

        assertThat(fifo.ages(DemoPlan.Phase.BEFORE).getTotalCount()).isEqualTo(1);
        assertThat(fifo.ages(DemoPlan.Phase.DURING).getTotalCount()).isZero();
        assertThat(fifo.p99MillisOverTime()[(int) ((plan.slowFromMillis() - 1) / fifo.binMillis())])
                .isBetween(29_000L, 31_000L);
    }

    @ParameterizedTest
    @CsvSource({"10000, 10500, about the same", "10000, 20000, Spillway was faster", "20000, 10000, Spillway was slower"
    })
    void the_finding_on_the_noisy_tenant_is_the_measured_result(long ours, long theirs, String expected) {
        clock.startIn(0);
        noisyItemIsDone(spillway, plan.floodFromMillis() + ours);
        noisyItemIsDone(fifo, plan.floodFromMillis() + theirs);

        assertThat(findings(true))
                .anySatisfy(finding -> assertThat(finding)
                        .startsWith("All 1 items of noisy were done")
                        .contains(expected));
    }

    @Test
    void unfinished_items_are_not_reported_as_done() {
        clock.startIn(0);

        assertThat(findings(false))
                .contains("Of the 1 items of noisy, 0 were done in Spillway and 0 in the FIFO queue.")
                .anySatisfy(finding ->
                        assertThat(finding).contains("has not reached dead-letter yet", "has not finished it"))
                .last()
                .asString()
                .startsWith("120 s after the last item was sent, not all items were finished: 0 items still waiting");
    }

    private List<String> findings(boolean isFinished) {
        return new DemoFindings(new DemoResult(
                        plan, spillway, fifo, Map.of(DemoPlan.NOISY, 1L), List.of(), isFinished, List.of(),
                        Optional.empty()))
                .all();
    }

    private void quietItemWaits(DemoTally tally, long dueMillis, long ageMillis) {
        nowMillis = START_MILLIS + dueMillis + ageMillis;
        tally.begun(DemoPlan.QUIET + "01", START_MILLIS + dueMillis, 1);
        tally.ended(DemoPlan.QUIET + "01", true);
    }

    private void noisyItemIsDone(DemoTally tally, long atMillis) {
        nowMillis = START_MILLIS + atMillis;
        tally.begun(DemoPlan.NOISY, START_MILLIS + atMillis, 1);
        tally.ended(DemoPlan.NOISY, true);
    }
}
