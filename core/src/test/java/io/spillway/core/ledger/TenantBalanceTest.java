package io.spillway.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.item.ItemState;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TenantBalanceTest {
    @Test
    void a_day_of_a_tenant_adds_up() {
        TenantBalance books = TenantBalance.EMPTY;
        books = move(books, ItemState.OUTSIDE, ItemState.HOT, 100);
        books = move(books, ItemState.OUTSIDE, ItemState.OVERFLOW, 40);
        books = move(books, ItemState.OUTSIDE, ItemState.DROPPED, 3);
        books = move(books, ItemState.HOT, ItemState.DONE, 70);
        books = move(books, ItemState.HOT, ItemState.DELAY, 20);
        books = move(books, ItemState.DELAY, ItemState.HOT, 15);
        books = move(books, ItemState.HOT, ItemState.DEAD_LETTER, 6);
        books = move(books, ItemState.DEAD_LETTER, ItemState.DELAY, 4);
        books = move(books, ItemState.DEAD_LETTER, ItemState.DROPPED, 1);

        assertThat(books.accepted()).isEqualTo(143);
        assertThat(books.in(ItemState.HOT)).isEqualTo(19);
        assertThat(books.in(ItemState.OVERFLOW)).isEqualTo(40);
        assertThat(books.in(ItemState.DELAY)).isEqualTo(9);
        assertThat(books.in(ItemState.DONE)).isEqualTo(70);
        assertThat(books.in(ItemState.DROPPED)).isEqualTo(4);
        assertThat(books.in(ItemState.DEAD_LETTER)).isEqualTo(1);
        assertThat(books.waiting()).isEqualTo(68);
        assertThat(books.came()).isEqualTo(148);
        assertThat(books.went()).isEqualTo(80);
        assertThat(books.difference()).isZero();
    }

    @Test
    void every_sum_of_moves_balances() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        TenantBalance books = TenantBalance.EMPTY;
        for (int i = 0; i < 1_000; i++) {
            ItemState from = ItemState.LEFT.get(random.nextInt(ItemState.LEFT.size()));
            books = move(books, from, ItemState.values()[1 + random.nextInt(ItemState.COUNT - 1)],
                    random.nextInt(1_000));
            assertThat(books.difference()).as("seed %d", seed).isZero();
            assertThat(books.came() - books.went()).as("seed %d", seed).isEqualTo(books.waiting());
        }
    }

    @Test
    void counts_for_another_number_of_states_are_rejected() {
        assertThatThrownBy(() -> TenantBalance.of(new long[3], new long[ItemState.COUNT]))
                .isInstanceOf(IllegalArgumentException.class);
    }

    static TenantBalance move(TenantBalance books, ItemState from, ItemState to, long count) {
        long[] counts = new long[ItemState.COUNT];
        counts[to.ordinal()] = count;
        return books.plus(from, counts, 0);
    }
}
