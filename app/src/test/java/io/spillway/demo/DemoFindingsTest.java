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
        "100,  250, 'at most 100 ms through Spillway and 250 ms in the FIFO queue, which is 2.5 times as long.'",
        "100, 2000, 'at most 100 ms through Spillway and 2.0 s in the FIFO queue, which is 20 times as long.'",
        "100,  120, 'no great difference in this run.'",
        "250,  100, 'at most 250 ms through Spillway and 100 ms in the FIFO queue: in this run Spillway was the slower one.'"
    })
    void what_is_said_of_the_quiet_tenants_is_what_was_measured(long ours, long theirs, String said) {
        clock.startIn(0);
        quietItemWaits(spillway, plan.floodFromMillis(), ours);
        quietItemWaits(fifo, plan.floodFromMillis(), theirs);

        assertThat(findings(true)).anySatisfy(finding -> assertThat(finding).endsWith(said));
    }

    @Test
    void an_item_counts_for_the_phase_in_which_it_was_due_whenever_it_is_handled() {
        clock.startIn(0);
        quietItemWaits(fifo, plan.slowFromMillis() - 1, 30_000);

        assertThat(fifo.ages(DemoPlan.Phase.BEFORE).getTotalCount()).isEqualTo(1);
        assertThat(fifo.ages(DemoPlan.Phase.DURING).getTotalCount()).isZero();
        assertThat(fifo.p99MillisOverTime()[(int) ((plan.slowFromMillis() - 1) / fifo.binMillis())]).isBetween(29_000L, 31_000L);
    }

    @ParameterizedTest
    @CsvSource({"10000, 10500, about as soon", "10000, 20000, was sooner", "20000, 10000, was later"})
    void the_noisy_tenant_is_told_as_it_fared(long ours, long theirs, String said) {
        clock.startIn(0);
        noisyItemIsDone(spillway, plan.floodFromMillis() + ours);
        noisyItemIsDone(fifo, plan.floodFromMillis() + theirs);

        assertThat(findings(true)).anySatisfy(finding -> assertThat(finding).startsWith("Noisy's 1 items").contains(said));
    }

    @Test
    void nothing_is_said_to_be_done_that_is_not() {
        clock.startIn(0);

        assertThat(findings(false))
                .contains("Of noisy's 1 items 0 were done through Spillway and 0 in the FIFO queue.")
                .anySatisfy(finding -> assertThat(finding).contains("has not come to dead-letter yet", "is not done with it"))
                .last().asString().startsWith("Not everything was finished");
    }

    private List<String> findings(boolean isFinished) {
        return new DemoFindings(new DemoResult(
                plan, spillway, fifo, Map.of(DemoPlan.NOISY, 1L), List.of(), isFinished, List.of(), Optional.empty())).all();
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
