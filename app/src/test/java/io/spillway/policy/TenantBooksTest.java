package io.spillway.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;

class TenantBooksTest {
    @Test
    void a_day_of_a_tenant_adds_up() {
        TenantBooks books = TenantBooks.EMPTY;
        books = move(books, Place.OUTSIDE, Place.HOT, 100);
        books = move(books, Place.OUTSIDE, Place.OVERFLOW, 40);
        books = move(books, Place.OUTSIDE, Place.DROPPED, 3);
        books = move(books, Place.HOT, Place.DONE, 70);
        books = move(books, Place.HOT, Place.DELAY, 20);
        books = move(books, Place.DELAY, Place.HOT, 15);
        books = move(books, Place.HOT, Place.DEAD_LETTER, 6);
        books = move(books, Place.DEAD_LETTER, Place.DELAY, 4);
        books = move(books, Place.DEAD_LETTER, Place.DROPPED, 1);

        assertThat(books.accepted()).isEqualTo(143);
        assertThat(books.in(Place.HOT)).isEqualTo(19);
        assertThat(books.in(Place.OVERFLOW)).isEqualTo(40);
        assertThat(books.in(Place.DELAY)).isEqualTo(9);
        assertThat(books.in(Place.DONE)).isEqualTo(70);
        assertThat(books.in(Place.DROPPED)).isEqualTo(4);
        assertThat(books.in(Place.DEAD_LETTER)).isEqualTo(1);
        assertThat(books.waiting()).isEqualTo(68);
        assertThat(books.came()).isEqualTo(148);
        assertThat(books.went()).isEqualTo(80);
        assertThat(books.difference()).isZero();
    }

    @Test
    void any_sum_of_moves_balances() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        TenantBooks books = TenantBooks.EMPTY;
        for (int i = 0; i < 1_000; i++) {
            Place from = Place.LEFT.get(random.nextInt(Place.LEFT.size()));
            books = move(books, from, Place.values()[1 + random.nextInt(Place.COUNT - 1)], random.nextInt(1_000));
            assertThat(books.difference()).as("seed %d", seed).isZero();
            assertThat(books.came() - books.went()).as("seed %d", seed).isEqualTo(books.waiting());
        }
    }

    @Test
    void books_of_another_number_of_places_are_refused() {
        assertThatThrownBy(() -> TenantBooks.of(new long[3], new long[Place.COUNT])).isInstanceOf(IllegalArgumentException.class);
    }

    static TenantBooks move(TenantBooks books, Place from, Place to, long count) {
        long[] counts = new long[Place.COUNT];
        counts[to.ordinal()] = count;
        return books.plus(from, counts, 0);
    }
}
