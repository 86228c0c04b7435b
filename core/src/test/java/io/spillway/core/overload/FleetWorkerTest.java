package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One worker with 10 slots, which handles 500 items a second. */
class FleetWorkerTest {
    private static final long T0 = 1_800_000_000_000L;
    private static final long MILLI = 1_000_000;

    private final FleetWorker worker = new FleetWorker(ProtectionSettings.DEFAULT, 0);

    @ParameterizedTest(name = "{1} routers, {2} measured, {3} sent: {4} ms")
    @CsvSource({
        // items a second, routers, measured in overflow, sent there since, ms until another one starts
        "500,  1, 0,   0,  0",
        "500,  1, 0,   50, 100",
        "500,  1, 100, 0,  200",
        "500,  1, 100, 50, 300",
        // What waits is of all routers, and the others send as much as this one.
        "500,  2, 100, 0,  200",
        "500,  2, 100, 50, 400",
        // A usual capacity until it is known.
        "0,    1, 100, 50, 150",
    })
    void an_item_waits_for_what_was_measured_and_what_was_sent_since(
            double perSecond, int routers, long measured, int sent, long waitMillis) {
        update(report(perSecond), routers, 0, measured);
        for (int i = 0; i < sent; i++) {
            worker.sent(Lane.OVERFLOW, T0);
        }
        assertThat(worker.waitMillis(Lane.OVERFLOW, T0)).isEqualTo(waitMillis);
        assertThat(worker.waitMillis(Lane.OVERFLOW, T0 + waitMillis + 1)).as("later").isZero();
    }

    @Test
    void lanes_wait_behind_those_that_go_first() {
        update(report(500), 1, 10, 20, 30);
        assertThat(worker.waitMillis(Lane.OVERFLOW, T0)).as("behind hot").isEqualTo(60);
        assertThat(worker.waitMillis(Lane.AGED, T0)).as("behind both").isEqualTo(120);
        worker.assume(new long[] {1, 2, 3}, T0);
        assertThat(worker.waitMillis(Lane.OVERFLOW, T0)).as("of an unknown worker").isEqualTo(6);
        assertThat(worker.waitMillis(Lane.AGED, T0)).isEqualTo(12);
    }

    @ParameterizedTest(name = "{0} wait, {1} routers: {2} ms")
    @CsvSource({
        // As many as there are slots run, and as many may be finished.
        "20, 1, 2", "21, 1, 4", "120, 1, 202", "120, 2, 204",
    })
    void an_item_of_hot_starts_after_what_is_certainly_a_backlog(long waiting, int routers, long millis) {
        update(report(500), routers, waiting);
        assertThat(worker.score(Lane.HOT, 0, T0)).isEqualTo((T0 + millis) * MILLI);
    }

    @Test
    void of_a_worker_that_does_not_report_all_that_waits_is_a_backlog() {
        update(report(500), 1, 0);
        update(Optional.empty(), 1, 20);
        assertThat(worker.score(Lane.HOT, 0, T0)).isEqualTo((T0 + 42) * MILLI);
    }

    @Test
    void behind_more_items_a_busy_worker_starts_one_later_but_an_idle_one_does_not() {
        update(report(500), 1, 0, 100);
        assertThat(worker.score(Lane.OVERFLOW, 0, T0)).isEqualTo((T0 + 202) * MILLI);
        assertThat(worker.score(Lane.OVERFLOW, 3, T0)).isEqualTo((T0 + 208) * MILLI);
        assertThat(worker.score(Lane.OVERFLOW, 3, T0 + 200)).as("it is just idle").isEqualTo((T0 + 208) * MILLI);
        assertThat(worker.score(Lane.OVERFLOW, 3, T0 + 201)).as("since when it is idle")
                .isEqualTo((T0 + 200) * MILLI);
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 2", "2, 3", "3, 0"})
    void up_to_three_items_by_chance_differ_from_worker_to_worker(int number, int items) {
        assertThat(new FleetWorker(ProtectionSettings.OFF, number).byChance(0b11_10_01)).isEqualTo(items);
    }

    private void update(Optional<WorkerReport> report, int routers, long... waiting) {
        long[] byLane = new long[Lane.WORKED.size()];
        System.arraycopy(waiting, 0, byLane, 0, waiting.length);
        worker.update(report, byLane, true, routers, 0, T0, new long[DecayingCounts.MAX_TENANTS]);
    }

    private static Optional<WorkerReport> report(double perSecond) {
        return Optional.of(new WorkerReport(10, perSecond, perSecond, 0, 0, 0, Map.of()));
    }
}
