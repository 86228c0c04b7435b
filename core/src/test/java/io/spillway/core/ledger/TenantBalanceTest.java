package io.spillway.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.item.ItemState;
import java.util.Random;
import org.junit.jupiter.api.Test;

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
        assertThat(balance.came()).isEqualTo(148);
        assertThat(balance.went()).isEqualTo(80);
        assertThat(balance.difference()).isZero();
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
