package io.spillway.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.bench.support.BenchItems;
import io.spillway.handler.Outcome;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.HdrHistogram.Histogram;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Two tenants at two items a second in all for four seconds, and a burst of a third; a clock that is set by hand. */
public class LedgerTest {
    private static final IntPredicate EVERYBODY = tenant -> true;
    private static final IntPredicate BURSTS = tenant -> tenant == 2;
    private static final Flow STEADY = Flow.steady(0, 2, 2, 0, 4);
    private static final Flow BURST = Flow.burst(2, 3, 1);
    private static final Traffic TRAFFIC = new Traffic(List.of(STEADY, BURST));
    private static final long START_NANOS = -7;
    private static final Offset<Double> HISTOGRAM_ERROR = Offset.offset(0.002);
    private static final Instant MADE_AT = Instant.parse("2026-11-22T00:00:00Z");

    private final BenchItems items = new BenchItems(3);
    private final Map<Integer, Outcome> failures = new HashMap<>();
    private double nowSeconds;
    private double handlerSeconds;
    private final Ledger ledger = new Ledger(TRAFFIC, call -> {
        nowSeconds += handlerSeconds;
        return failures.getOrDefault(call.tenant(), Outcome.done());
    }, 10, () -> START_NANOS + Flow.nanos(nowSeconds));

    LedgerTest() {
        ledger.startAt(START_NANOS);
    }

    @Test
    void numbers_go_through_all_flows_and_tenants_take_turns() {
        assertThat(TRAFFIC.items()).isEqualTo(11);
        assertThat(TRAFFIC.tenants()).isEqualTo(3);
        assertThat(TRAFFIC.firstOf(BURST)).isEqualTo(8);
        assertThat(ledger.offered(EVERYBODY, 0, Flow.nanos(4))).isEqualTo(11);
        assertThat(ledger.offered(tenant -> tenant == 1, 0, Flow.nanos(4)))
                .as("at 0.5, 1.5, 2.5 and 3.5 s")
                .isEqualTo(4);
        assertThat(ledger.offered(EVERYBODY, Flow.nanos(1), Flow.nanos(2))).as("two and the burst").isEqualTo(5);
        assertThat(ledger.offered(BURSTS, Flow.nanos(1) + 1, Flow.nanos(2))).as("all at once").isZero();
    }

    @Test
    void an_age_counts_from_when_the_item_was_to_be_sent_to_its_first_call() throws InterruptedException {
        failures.put(2, Outcome.retry("once more"));
        call(8, 1.25);
        failures.clear();
        call(8, 3);

        assertThat(longestSeconds(ledger.ages(BURSTS, 0, Flow.nanos(9)))).isEqualTo(0.25, HISTOGRAM_ERROR);
        assertThat(ledger.ages(EVERYBODY, 0, Flow.nanos(9)).getTotalCount())
                .as("the others were never called")
                .isEqualTo(1);
        assertThat(ledger.ages(BURSTS, Flow.nanos(2), Flow.nanos(9)).getTotalCount())
                .as("called later, but to be sent before").isZero();
    }

    @Test
    void an_item_that_was_never_handed_over_has_its_age_at_the_end() throws InterruptedException {
        call(8, 1);
        call(9, 8);

        Histogram ages = ledger.agesUntil(Flow.nanos(6), BURSTS, 0, Flow.nanos(9));

        assertThat(ages.getTotalCount()).isEqualTo(3);
        assertThat(ages.getMinValue()).isZero();
        assertThat(ages.getValueAtPercentile(50) / 1e9).as("called after the end").isEqualTo(5, Offset.offset(0.01));
        assertThat(longestSeconds(ages)).isEqualTo(5, Offset.offset(0.01));
    }

    @Test
    void an_item_is_done_when_a_call_of_it_first_succeeds() throws InterruptedException {
        failures.put(0, Outcome.retry("not yet"));
        call(0, 1);
        assertThat(ledger.itemsDone()).isZero();
        assertThat(ledger.notDone(tenant -> tenant == 0)).isEqualTo(4);
        failures.clear();
        handlerSeconds = 0.5;
        call(0, 2);
        call(0, 4);

        assertThat(ledger.itemsDone()).isEqualTo(1);
        assertThat(ledger.duplicates()).isEqualTo(1);
        assertThat(ledger.notDone(EVERYBODY)).isEqualTo(10);
        assertThat(ledger.doneBetween(EVERYBODY, Flow.nanos(2), Flow.nanos(2.5))).as("its end is exclusive").isZero();
        assertThat(ledger.doneBetween(EVERYBODY, Flow.nanos(2.5), Flow.nanos(2.6))).isEqualTo(1);
        assertThat(ledger.lastDoneNanos(EVERYBODY)).isEqualTo(Flow.nanos(2.5));
        assertThat(ledger.doneOf(EVERYBODY, 0, 1)).as("it was to be sent at 0").isEqualTo(1);
        assertThat(ledger.doneOf(EVERYBODY, 1, Flow.nanos(9))).isZero();
        assertThat(ledger.doneInMillis()).as("both calls that succeeded").isEqualTo(500);
    }

    @Test
    void calls_count_to_the_second_they_begin_in_and_late_ones_to_the_last() throws InterruptedException {
        failures.put(2, Outcome.retry("down"));
        call(8, 1);
        call(8, 1.99);
        call(9, 2);
        call(10, 99);

        assertThat(ledger.callsBetween(BURSTS, 1, 2)).isEqualTo(2);
        assertThat(ledger.callsBetween(BURSTS, 0, 9)).isEqualTo(3);
        assertThat(ledger.callsBetween(BURSTS, 0, 100)).isEqualTo(4);
        assertThat(ledger.callsBetween(BURSTS.negate(), 0, 100)).isZero();
        assertThat(ledger.calls()).isEqualTo(4);
        assertThat(ledger.mostCalls()).as("of item 8").isEqualTo(2);
        assertThat(ledger.mostInUse(2)).isEqualTo(1);
        assertThat(ledger.mostInUse(0)).isZero();
    }

    @Test
    void a_call_uses_its_slot_in_each_second_that_it_lasts() throws InterruptedException {
        handlerSeconds = 2.5;
        call(8, 1.25);
        handlerSeconds = 0.25;
        call(9, 2);

        assertThat(ledger.slotSeconds(BURSTS, 1, 2)).isEqualTo(0.75);
        assertThat(ledger.slotSeconds(BURSTS, 2, 3)).isEqualTo(1.25);
        assertThat(ledger.slotSeconds(BURSTS, 3, 10)).isEqualTo(0.75);
        assertThat(ledger.slotSeconds(BURSTS.negate(), 0, 10)).isZero();
    }

    @Test
    void a_backlog_is_what_was_sent_before_and_done_after() throws InterruptedException {
        call(8, 1.5);
        call(9, 3);
        call(10, 2.5);
        call(0, 2.25);

        assertThat(ledger.backlogDoneNanos(BURSTS, Flow.nanos(2))).containsExactly(Flow.nanos(0.5), Flow.nanos(1));
        assertThat(ledger.backlogDoneNanos(EVERYBODY, Flow.nanos(2))).hasSize(3);
        assertThat(ledger.backlogDoneNanos(EVERYBODY, 1)).as("the burst was not sent yet").hasSize(1);
        assertThat(ledger.doneBySecond(EVERYBODY, 1, 5)).containsExactly(1, 2, 1, 0);
    }

    private void call(int number, double atSeconds) throws InterruptedException {
        nowSeconds = atSeconds;
        int tenant = number < TRAFFIC.firstOf(BURST) ? STEADY.tenant(number) : BURST.tenant(0);
        BenchItems.Item item = items.of(tenant, number, MADE_AT, 0);
        assertThat(ledger.handle(item.key(), item.value())).isEqualTo(!failures.containsKey(tenant));
    }

    private static double longestSeconds(Histogram ages) {
        return ages.getMaxValue() / 1e9;
    }
}
