package io.spillway.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.bench.support.BenchItems;
import io.spillway.bench.support.Machine;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.handler.Outcome;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/**
 * Two tenants of one item a second; the destination of the first is down from second 3 to 7, and traffic ends at 12. A
 * call takes 0.1 s; the clock is set by hand.
 */
public class FaultFiguresTest {
    private static final FaultPlan PLAN = new FaultPlan(1, 10, 2, 1, 1, 1, 100, 3, 4, 5);
    private static final Traffic TRAFFIC = PLAN.traffic(PLAN.seconds());
    private static final int ITEMS = 24;
    private static final int FIRST_SOUND = 12;
    private static final Instant MADE_AT = Instant.parse("2026-11-23T00:00:00Z");

    private final BenchItems items = new BenchItems(2);
    private double nowSeconds;
    private boolean isDown;
    private final Ledger ledger = new Ledger(TRAFFIC, call -> {
        nowSeconds += 0.1;
        return isDown && call.tenant() == 0 ? Outcome.retry("down") : Outcome.done();
    }, 30, () -> Flow.nanos(nowSeconds));

    @Test
    void an_outage_is_told_by_attempts_backlog_and_neighbours() throws InterruptedException {
        ledger.startAt(0);
        for (int second = 0; second < PLAN.seconds(); second++) {
            isDown = second >= 3 && second < 7;
            call(second, second);
            call(FIRST_SOUND + second, second + (isDown ? 0.04 : 0.02));
        }
        isDown = true;
        call(3, 6.5);
        isDown = false;
        // What the outage has left: items 3 to 6.
        for (int number = 3; number < 7; number++) {
            call(number, 5 + number);
        }

        FaultFigures run = figures(balance(ITEMS, 0), Map.of());

        assertThat(run.faultRatio()).as("one each, and a retry").isEqualTo(5 / 4.0);
        assertThat(run.calls()).isEqualTo(ITEMS + 5);
        assertThat(run.mostCalls()).isEqualTo(3);
        assertThat(run.drainSeconds(1)).as("item 6 at 11.1").isEqualTo(4.1, Offset.offset(1e-6));
        assertThat(run.drainSeconds(0.5)).isEqualTo(2.1, Offset.offset(1e-6));
        assertThat(run.drainRatio(1)).as("4 items at 100 - 2 a second").isEqualTo(4.1 * 98 / 4, Offset.offset(0.01));
        assertThat(run.backAfterSeconds()).isZero();
        assertThat(run.freshDone()).isEqualTo(1);
        assertThat(run.othersRatio()).isEqualTo(2, Offset.offset(0.01));
        assertThat(run.slotShare()).as("5 calls of 0.1 s, 10 slots for 4 s").isEqualTo(0.0125, Offset.offset(1e-6));
        assertThat(run.isSettled()).isTrue();
        assertThat(FaultFigures.table(List.of(run)).lines().toList()).hasSize(3);
        assertThat(run.toString()).contains("1.250").contains("correct");
    }

    @Test
    void a_balance_is_correct_when_each_item_is_done_or_a_dead_letter_that_is_there() {
        assertThat(figures(balance(ITEMS - 1, 1), Map.of("final-failure", 1L)).isSettled()).isTrue();
        assertThat(figures(balance(ITEMS - 1, 1), Map.of()).isSettled()).as("no such dead letter").isFalse();
        assertThat(figures(balance(ITEMS - 1, 0), Map.of()).isSettled()).as("one is missing").isFalse();
        assertThat(new Accounts(balance(ITEMS, 0), Map.of(), 1, 0).isSettled(ITEMS)).as("a finding").isFalse();
    }

    @Test
    void moves_are_the_records_of_all_lanes() {
        assertThat(new Accounts(balance(20, 4), Map.of(), 0, 0).moves()).as("hot, and 4 dead letters").isEqualTo(28);
    }

    /** Accepted into hot, and from there done or dead. */
    private static TenantBalance balance(int done, int dead) {
        long[] accepted = new long[ItemState.COUNT];
        accepted[ItemState.HOT.ordinal()] = done + dead;
        long[] ended = new long[ItemState.COUNT];
        ended[ItemState.DONE.ordinal()] = done;
        ended[ItemState.DEAD_LETTER.ordinal()] = dead;
        return TenantBalance.EMPTY.plus(ItemState.OUTSIDE, accepted).plus(ItemState.HOT, ended);
    }

    private FaultFigures figures(TenantBalance balance, Map<String, Long> dead) {
        LoadRun run = new LoadRun(ledger, new Machine.Use(1, 1, 1, 0, 0), "0", "", 0, true);
        return FaultFigures.of(PLAN, run, new Accounts(balance, dead, 0, 0), 0);
    }

    private void call(int number, double atSeconds) throws InterruptedException {
        nowSeconds = atSeconds;
        BenchItems.Item item = items.of(number < FIRST_SOUND ? 0 : 1, number, MADE_AT, 0);
        ledger.handle(item.key(), item.value());
    }
}
