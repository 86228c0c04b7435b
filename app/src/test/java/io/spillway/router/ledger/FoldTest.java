package io.spillway.router.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.GrowthRule;
import io.spillway.kafka.codec.LedgerCodec;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The fold of the ledger over restarts, on a clock that is set. */
class FoldTest {
    private final FoldHarness fold = new FoldHarness();

    @Test
    void a_balance_is_written_once_a_second_after_its_first_change() {
        for (int i = 0; i < 50; i++) {
            fold.append("a", ItemState.OUTSIDE, ItemState.HOT, 2);
            fold.advance(10);
        }
        assertThat(fold.depths.of("a")).isEmpty();
        fold.advance(600);
        assertThat(fold.balance("a").in(ItemState.HOT)).isEqualTo(100);
        assertThat(fold.depthRows).as("the tenant's and the mark").isEqualTo(2);
        fold.advance(60_000);
        assertThat(fold.depthRows).isEqualTo(2);
    }

    @Test
    void balances_are_written_after_the_clock_was_set_back() {
        fold.append("urgent", ItemState.OUTSIDE, ItemState.HOT, 200);
        fold.append("before", ItemState.OUTSIDE, ItemState.HOT, 2);
        fold.stepClock(-600_000);
        fold.append("urgent-after", ItemState.OUTSIDE, ItemState.HOT, 200);
        fold.append("after", ItemState.OUTSIDE, ItemState.HOT, 2);
        fold.advance(1_200);
        assertThat(fold.balance("urgent").in(ItemState.HOT)).isEqualTo(200);
        assertThat(fold.balance("before").in(ItemState.HOT)).isEqualTo(2);
        assertThat(fold.balance("urgent-after").in(ItemState.HOT)).isEqualTo(200);
        assertThat(fold.balance("after").in(ItemState.HOT)).isEqualTo(2);
        assertThat(fold.mark()).isEqualTo(fold.ledger.size());
    }

    @Test
    void long_term_use_is_measured_without_a_rule_and_a_rule_grows_a_limit_from_it() {
        useForAMinute(100);
        double use = fold.depths.of("a").orElseThrow().growing().usePerSecond();
        assertThat(use).as("a minute of 100 a second in 7 days").isCloseTo(100 / (7 * 1_440.0), within(0.001));
        assertThat(fold.depths.of("a").orElseThrow().growing().limitPerSecond()).isZero();

        fold.growBy(new GrowthRule(3, 10, 1_000, 1.5, 1));
        fold.restart();
        useForAMinute(100);
        assertThat(fold.depths.of("a").orElseThrow().growing().limitPerSecond()).as("the floor").isEqualTo(10);
        double more = fold.depths.of("a").orElseThrow().growing().usePerSecond() - use;
        assertThat(more).as("of 100 a second 10 count").isCloseTo(use / 10, within(0.001));
    }

    private void useForAMinute(int perSecond) {
        for (int second = 0; second < 60; second++) {
            fold.append("a", ItemState.OUTSIDE, ItemState.HOT, perSecond);
            fold.append("a", ItemState.HOT, ItemState.DONE, perSecond);
            fold.advance(1_000);
        }
        fold.advance(2_000);
    }

    @Test
    void balances_add_up_over_writes() {
        fold.append("a", ItemState.OUTSIDE, ItemState.HOT, 10);
        fold.advance(2_000);
        fold.append("a", ItemState.HOT, ItemState.DONE, 4);
        fold.append("a", ItemState.HOT, ItemState.DELAY, 1);
        fold.advance(2_000);
        assertThat(fold.balance("a")).isEqualTo(sum("a"));
        assertThat(fold.balance("a").waiting()).isEqualTo(6);
        assertThat(fold.depths.of("a").orElseThrow().rates().inPerSecond()).isPositive();
    }

    @Test
    void a_restarted_processor_reads_the_committed_entries_that_were_not_written() {
        fold.append("a", ItemState.OUTSIDE, ItemState.HOT, 10);
        fold.advance(2_000);
        fold.append("a", ItemState.HOT, ItemState.DONE, 3);
        fold.append("b", ItemState.OUTSIDE, ItemState.AGED, 1);
        fold.restart();
        fold.append("b", ItemState.AGED, ItemState.DROPPED, 1);
        fold.advance(2_000);
        assertThat(fold.balance("a")).isEqualTo(sum("a"));
        assertThat(fold.balance("b")).isEqualTo(sum("b"));
    }

    @Test
    void balances_of_a_later_release_are_refused_and_their_entries_are_not_skipped() {
        fold.append("a", ItemState.OUTSIDE, ItemState.HOT, 1);
        fold.advance(2_000);
        fold.storeOfLaterRelease();
        for (ThrowingCallable use : List.<ThrowingCallable>of(
                () -> fold.append("a", ItemState.OUTSIDE, ItemState.HOT, 1), fold::restart)) {
            assertThatThrownBy(use).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("of a later release").hasMessageContaining("Start routers of that release");
        }
    }

    @Test
    void more_tenants_than_fit_into_one_run_are_written_in_turn() {
        int tenants = 3 * FoldProcessor.MOST_AT_ONCE - 1;
        for (int i = 0; i < tenants; i++) {
            fold.append("t" + i, ItemState.OUTSIDE, ItemState.HOT, 1);
        }
        fold.advance(1_050);
        assertThat(fold.depths.size()).isEqualTo(FoldProcessor.MOST_AT_ONCE);
        assertThat(fold.mark()).isEqualTo(FoldProcessor.MOST_AT_ONCE);
        fold.advance(200);
        fold.advance(200);
        assertThat(fold.depths.size()).isEqualTo(tenants);
        assertThat(fold.mark()).isEqualTo(fold.ledger.size());
    }

    @Test
    void an_urgent_change_is_written_before_all_earlier_ones() {
        int tenants = 3 * FoldProcessor.MOST_AT_ONCE - 1;
        for (int i = 0; i < tenants; i++) {
            fold.append("t" + i, ItemState.OUTSIDE, ItemState.HOT, FoldProcessor.URGENT_ITEMS - 1);
        }
        fold.append("noisy", ItemState.OUTSIDE, ItemState.HOT, FoldProcessor.URGENT_ITEMS);
        fold.advance(1_050);
        assertThat(fold.balance("noisy")).isEqualTo(sum("noisy"));
        assertThat(fold.depths.of("t" + (tenants - 1))).isEmpty();
        fold.append("noisy", ItemState.OUTSIDE, ItemState.HOT, 5 * FoldProcessor.URGENT_ITEMS);
        fold.advance(1_050);
        assertThat(fold.balance("noisy")).isEqualTo(sum("noisy"));
    }

    @Test
    void after_random_moves_and_restarts_the_balances_are_the_sum_of_the_ledger() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int step = 0; step < 1_000; step++) {
            switch (random.nextInt(20)) {
                case 0 -> fold.restart();
                case 1, 2 -> fold.advance(random.nextInt(1_500));
                case 3 -> fold.pipe(new byte[] {1, 2, 3});
                default -> fold.append("t" + random.nextInt(30), ItemState.LEFT.get(random.nextInt(6)),
                        ItemState.values()[1 + random.nextInt(ItemState.COUNT - 1)], 1 + random.nextInt(5));
            }
        }
        fold.advance(3_000);
        fold.advance(3_000);
        for (int i = 0; i < 30; i++) {
            assertThat(fold.balance("t" + i)).as("seed %d, t%d", seed, i).isEqualTo(sum("t" + i));
        }
    }

    /** Returns a tenant's sum over the whole ledger, without the fold. */
    private TenantBalance sum(String of) {
        TenantBalance[] sum = {TenantBalance.EMPTY};
        for (byte[] entry : fold.ledger) {
            if (entry.length > 3) {
                LedgerCodec.read(entry, (tenant, from, counts) -> {
                    if (tenant.equals(of)) {
                        sum[0] = sum[0].plus(from, counts);
                    }
                });
            }
        }
        return sum[0];
    }
}
