package io.spillway.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.handler.Outcome;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** A load of 800 items/s with calls of 20 ms for ten minutes: 16 slots. */
public class EnduranceTrafficTest {
    private static final EnduranceTraffic PLAN = new EnduranceTraffic(800, 20, 600, 30);
    private static final Offset<Double> ONE_PERCENT_OF_A_SLOT = Offset.offset(0.01);

    @Test
    void bursts_come_together_and_keep_the_average_rate() {
        Flow flow = Flow.bursts(1, 160, 30, 0, 600);

        assertThat(flow.items()).isEqualTo(160 * 600);
        assertThat(List.of(flow.atNanos(0), flow.atNanos(4_799), flow.atNanos(4_800), flow.atNanos(9_599)))
                .containsExactly(0L, 0L, Flow.nanos(30), Flow.nanos(30));
        assertThat(flow.atNanos(flow.items() - 1)).isEqualTo(Flow.nanos(570));
        assertThat(Flow.bursts(1, 0.01, 30, 0, 60).items()).as("a burst has an item").isEqualTo(2);
    }

    @Test
    void the_load_counts_in_time_of_slots() {
        Traffic traffic = PLAN.traffic();
        double steadyAndBursts = itemsOf(traffic, 3) + itemsOf(traffic, 1);
        double slow = itemsOf(traffic, 2) * 10.0;
        double failing = itemsOf(traffic, 0) * 2.0;

        assertThat((steadyAndBursts + slow + failing) * 0.02 / 600).isEqualTo(16, ONE_PERCENT_OF_A_SLOT);
        assertThat(traffic.tenants()).isEqualTo(EnduranceTraffic.TENANTS);
    }

    @Test
    void few_items_of_one_tenant_fail_for_good_and_no_others_do() {
        Fault fault = PLAN.fault();
        long forGood = IntStream.range(0, 10_000).filter(number -> IntStream.rangeClosed(1, 20).allMatch(attempt ->
                fault.fails(new Ledger.Call(number, EnduranceTraffic.FAILING, attempt, 0)))).count();

        assertThat(forGood).isBetween(900L, 1_100L);
        assertThat(IntStream.range(0, 10_000).anyMatch(number ->
                fault.fails(new Ledger.Call(number, EnduranceTraffic.SLOW, 1, 0)))).isFalse();
    }

    @Test
    void nothing_fails_any_more_before_the_last_items_are_sent() throws Exception {
        Ledger.Behaviour behaviour = new EnduranceTraffic(800, 0, 3_600, 30).behaviour();
        int failing = 0;
        for (int number = 0; number < 1_000; number++) {
            failing += isDone(behaviour, number, 3_479) ? 0 : 1;
            assertThat(isDone(behaviour, number, 3_480)).isTrue();
        }

        assertThat(failing).isBetween(150, 230);
        assertThat(new EnduranceTraffic(800, 20, 30, 30).healedNanos()).isEqualTo(Flow.nanos(27));
    }

    private static boolean isDone(Ledger.Behaviour behaviour, int number, int second) throws InterruptedException {
        return behaviour.handle(new Ledger.Call(number, EnduranceTraffic.FAILING, 1, Flow.nanos(second)))
                .equals(Outcome.done());
    }

    private static int itemsOf(Traffic traffic, int firstTenant) {
        return traffic.flows().stream().filter(flow -> flow.firstTenant() == firstTenant).mapToInt(Flow::items).sum();
    }
}
