package io.spillway.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.handler.Outcome;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** What fails at a destination, and when. */
public class FaultTest {
    private static final int FAILING = 0;
    private static final int SOUND = 1;
    private static final int NUMBERS = 100_000;

    @Test
    void while_it_is_down_each_attempt_of_its_tenants_fails_and_no_other() throws InterruptedException {
        Fault down = fault(1, 0);

        assertThat(down.fails(call(7, FAILING, 1, 4.99))).as("before").isFalse();
        assertThat(down.fails(call(7, FAILING, 1, 5))).isTrue();
        assertThat(down.fails(call(7, FAILING, 9, 7.99))).isTrue();
        assertThat(down.fails(call(7, FAILING, 9, 8))).as("its end is exclusive").isFalse();
        assertThat(down.fails(call(7, SOUND, 1, 6))).as("another destination").isFalse();
        assertThat(down.handle(call(7, FAILING, 1, 6))).isInstanceOf(Outcome.Retry.class);
        assertThat(down.handle(call(7, FAILING, 1, 8))).isInstanceOf(Outcome.Done.class);
        assertThat(down.destination(FAILING)).isNotEqualTo(down.destination(SOUND));
    }

    @Test
    void a_share_of_the_attempts_fails_and_each_attempt_of_an_item_has_a_chance_of_its_own() {
        Fault flaky = fault(0.3, 0);

        assertThat(share(number -> flaky.fails(call(number, FAILING, 1, 6)))).isEqualTo(0.3, Offset.offset(0.01));
        assertThat(share(number -> flaky.fails(call(number, FAILING, 1, 6))
                && flaky.fails(call(number, FAILING, 2, 6)))).isEqualTo(0.09, Offset.offset(0.01));
        assertThat(share(number -> flaky.fails(call(number, FAILING, 2, 6)) != fault(0.3, 0)
                .fails(call(number, FAILING, 2, 6)))).as("the same in every run").isZero();
        assertThat(share(number -> flaky.fails(call(number, FAILING, 1, 8)))).as("well again").isZero();
    }

    @Test
    void poison_is_a_share_of_the_items_and_never_succeeds() {
        Fault poison = fault(0, 0.05);

        assertThat(share(number -> poison.fails(call(number, FAILING, 1, 6)))).isEqualTo(0.05, Offset.offset(0.005));
        assertThat(share(number -> poison.fails(call(number, FAILING, 1, 6)) != poison.fails(
                call(number, FAILING, 3, 99)))).as("the same items, later too").isZero();
        assertThat(share(number -> fault(0, 1).fails(call(number, FAILING, 1, 99)))).as("all").isEqualTo(1);
        assertThat(share(number -> poison.fails(call(number, FAILING, 1, 4)))).as("not before the fault").isZero();
    }

    @Test
    void calls_take_a_fifth_of_all_slots_unless_their_time_is_given() {
        assertThat(plan(1, 0).handlerMillis()).as("20% of 50 slots for 200 items/s").isEqualTo(50);
        assertThat(plan(4, 0).handlerMillis()).isEqualTo(200);
        assertThat(plan(4, 80).handlerMillis()).isEqualTo(80);
        assertThatThrownBy(() -> plan(1, 250)).as("50 slots for 200 items/s").hasMessageContaining("no slot");
    }

    @Test
    void the_ideal_time_of_a_backlog_is_that_of_the_slots_that_the_traffic_leaves() {
        FaultPlan plan = plan(1, 50);

        assertThat(plan.idealSeconds(12_000, 50)).as("1,000 items/s less 200").isEqualTo(15);
        assertThat(plan.idealSeconds(12_000, 250)).as("no slot is left").isInfinite();
        assertThat(plan.afterSeconds()).as("30 s, and a quarter more than 15").isEqualTo(49);
        assertThat(plan.backSecond()).isEqualTo(90);
        assertThat(plan.seconds()).isEqualTo(139);
        assertThat(FaultPlan.of(1, 50, 1, 20, 1, 20, 0, 30, 60, false).afterSeconds()).as("no outage").isEqualTo(30);
    }

    @Test
    void the_failing_tenants_are_the_first_and_have_a_rate_of_their_own() {
        FaultPlan plan = new FaultPlan(1, 50, 100, 5, 1, 17, 0, 30, 60, 30);

        Traffic traffic = plan.traffic(10);

        assertThat(plan.perSecond()).isEqualTo(99 * 5 + 17);
        assertThat(traffic.items()).isEqualTo(170 + 4_950);
        assertThat(traffic.flows().getFirst().tenant(169)).isZero();
        assertThat(traffic.flows().getLast().tenant(0)).isEqualTo(1);
        assertThat(traffic.tenants()).isEqualTo(100);
        assertThat(plan(1, 0).traffic(10).flows()).as("all fail").hasSize(1);
        assertThatThrownBy(() -> new FaultPlan(1, 50, 3, 5, 4, 5, 0, 30, 60, 30)).hasMessageContaining("4 of 3");
    }

    private static FaultPlan plan(int workers, int handlerMillis) {
        return FaultPlan.of(workers, 50, 1_000, 0.2, 1_000, 0.2, handlerMillis, 30, 60, true);
    }

    /** From 5 s to 8 s. */
    private static Fault fault(double fail, double poison) {
        return new Fault(1, fail, poison, false, Flow.nanos(5), Flow.nanos(8), 1);
    }

    private static Ledger.Call call(int number, int tenant, int attempt, double atSeconds) {
        return new Ledger.Call(number, tenant, attempt, Flow.nanos(atSeconds));
    }

    private static double share(IntPredicate numbers) {
        return (double) IntStream.range(0, NUMBERS).filter(numbers).count() / NUMBERS;
    }
}
