package io.spillway.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.item.ItemState;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class TenantBalanceTest {
    @Test
    void a_day_of_a_tenant_adds_up() {
        TenantBalance balance = TenantBalance.EMPTY;
        balance = move(balance, ItemState.OUTSIDE, ItemState.HOT, 100);
        balance = move(balance, ItemState.OUTSIDE, ItemState.OVERFLOW, 40);
        balance = move(balance, ItemState.OUTSIDE, ItemState.DROPPED, 3);
        balance = move(balance, ItemState.HOT, ItemState.DONE, 70);
        balance = move(balance, ItemState.HOT, ItemState.DELAY, 20);
        balance = move(balance, ItemState.DELAY, ItemState.HOT, 15);
        balance = move(balance, ItemState.HOT, ItemState.DEAD_LETTER, 6);
        balance = move(balance, ItemState.DEAD_LETTER, ItemState.DELAY, 4);
        balance = move(balance, ItemState.DEAD_LETTER, ItemState.DROPPED, 1);

        assertThat(balance.accepted()).isEqualTo(143);
        assertThat(balance.in(ItemState.HOT)).isEqualTo(19);
        assertThat(balance.in(ItemState.OVERFLOW)).isEqualTo(40);
        assertThat(balance.in(ItemState.DELAY)).isEqualTo(9);
        assertThat(balance.in(ItemState.DONE)).isEqualTo(70);
        assertThat(balance.in(ItemState.DROPPED)).isEqualTo(4);
        assertThat(balance.in(ItemState.DEAD_LETTER)).isEqualTo(1);
        assertThat(balance.waiting()).isEqualTo(68);
        assertThat(balance.waitingForWorkers()).as("without those in delay").isEqualTo(59);
        assertThat(balance.came()).isEqualTo(148);
        assertThat(balance.went()).isEqualTo(80);
        assertThat(balance.difference()).isZero();
        assertThat(balance).hasToString(
                "accepted 143, hot 19, overflow 40, aged 0, delay 9, dead-letter 1, done 70, dropped 4");
    }

    @ParameterizedTest
    @EnumSource(value = ItemState.class, names = "OUTSIDE", mode = Mode.EXCLUDE)
    void a_balance_is_settled_when_all_items_are_done_or_dropped(ItemState state) {
        TenantBalance balance = move(TenantBalance.EMPTY, ItemState.OUTSIDE, state, 1);
        assertThat(balance.isSettled()).isEqualTo(state == ItemState.DONE || state == ItemState.DROPPED);
    }

    @Test
    void a_balance_that_does_not_add_up_is_not_settled() {
        long[] left = new long[ItemState.COUNT];
        left[ItemState.OUTSIDE.ordinal()] = 1;
        assertThat(TenantBalance.of(new long[ItemState.COUNT], left).isSettled()).isFalse();
    }

    @Test
    void balances_with_other_counts_differ_also_by_hash() {
        TenantBalance hot = move(TenantBalance.EMPTY, ItemState.OUTSIDE, ItemState.HOT, 1);
        assertThat(hot).isEqualTo(move(TenantBalance.EMPTY, ItemState.OUTSIDE, ItemState.HOT, 1))
                .hasSameHashCodeAs(move(TenantBalance.EMPTY, ItemState.OUTSIDE, ItemState.HOT, 1));
        TenantBalance aged = move(TenantBalance.EMPTY, ItemState.OUTSIDE, ItemState.AGED, 1);
        assertThat(hot).isNotEqualTo(aged).doesNotHaveSameHashCodeAs(aged);
    }

    @Test
    void every_sum_of_moves_balances() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        TenantBalance balance = TenantBalance.EMPTY;
        for (int i = 0; i < 1_000; i++) {
            ItemState from = ItemState.LEFT.get(random.nextInt(ItemState.LEFT.size()));
            balance = move(balance, from, ItemState.values()[1 + random.nextInt(ItemState.COUNT - 1)],
                    random.nextInt(1_000));
            assertThat(balance.difference()).as("seed %d", seed).isZero();
            assertThat(balance.came() - balance.went()).as("seed %d", seed).isEqualTo(balance.waiting());
        }
    }

    @Test
    void counts_for_another_number_of_states_are_rejected() {
        assertThatThrownBy(() -> TenantBalance.of(new long[3], new long[ItemState.COUNT]))
                .isInstanceOf(IllegalArgumentException.class);
    }

    static TenantBalance move(TenantBalance balance, ItemState from, ItemState to, long count) {
        long[] counts = new long[ItemState.COUNT];
        counts[to.ordinal()] = count;
        return balance.plus(from, counts);
    }
}
