package io.spillway.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AuditedTenantTest {
    /** 100 taken in and 30 done before; while the items are counted some more of each. */
    @ParameterizedTest
    @CsvSource({
        // in, done meanwhile, counted, balances
        "0,  0,  70, true",
        "0,  0,  69, false",
        "0,  0,  71, false",
        "10, 0,  70, true",
        "10, 0,  80, true",
        "10, 0,  81, false",
        "10, 5,  65, true",
        "10, 5,  64, false",
        "0,  70, 0,  true",
    })
    void a_place_holds_what_the_books_allow(long in, long done, long counted, boolean balances) {
        TenantBooks before = TenantBooksTest.move(
                TenantBooksTest.move(TenantBooks.EMPTY, Place.OUTSIDE, Place.HOT, 100), Place.HOT, Place.DONE, 30);
        TenantBooks after = TenantBooksTest.move(
                TenantBooksTest.move(before, Place.OUTSIDE, Place.HOT, in), Place.HOT, Place.DONE, done);
        AuditedTenant audited = new AuditedTenant("a", before, after, counted(Place.HOT, counted));
        assertThat(audited.findings().isEmpty()).isEqualTo(balances);
        assertThat(audited.isMoving()).isEqualTo(in + done > 0);
    }

    @Test
    void an_item_in_a_lane_that_nobody_booked_is_named() {
        AuditedTenant audited = new AuditedTenant("a", TenantBooks.EMPTY, TenantBooks.EMPTY, counted(Place.DEAD_LETTER, 1));
        assertThat(audited.findings()).containsExactly(new AuditedTenant.Finding(Place.DEAD_LETTER, 0, 0, 1));
    }

    @Test
    void books_that_do_not_add_up_are_named() {
        long[] left = new long[Place.COUNT];
        left[Place.OUTSIDE.ordinal()] = 3;
        TenantBooks wrong = TenantBooks.of(new long[Place.COUNT], left);
        assertThat(new AuditedTenant("a", wrong, wrong, new long[Place.COUNT]).findings())
                .containsExactly(new AuditedTenant.Finding(Place.OUTSIDE, 0, 0, 3));
    }

    private static long[] counted(Place place, long count) {
        long[] counted = new long[Place.COUNT];
        counted[place.ordinal()] = count;
        return counted;
    }
}
