package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HandlerFailuresTest {
    private static final long SECOND = 1_000_000_000L;

    private final HandlerFailures failures = new HandlerFailures();

    @Test
    void the_first_failure_of_a_kind_is_logged_and_again_after_an_hour() {
        assertThat(failures.due("acme", "java.io.IOException", 5)).isZero();
        assertThat(failures.due("acme", "java.io.IOException", 6)).isNegative();
        assertThat(failures.due("bolt", "java.io.IOException", 7)).as("another tenant").isZero();
        assertThat(failures.due("acme", "retry", 8)).as("another kind").isZero();
        assertThat(failures.due("acme", "java.io.IOException", 3_600 * SECOND + 4)).isNegative();
        assertThat(failures.due("acme", "java.io.IOException", 3_600 * SECOND + 5)).isZero();
    }

    @Test
    void at_most_ten_are_logged_in_a_minute_and_the_others_are_counted_and_come_later() {
        for (int i = 0; i < HandlerFailures.MAX_PER_MINUTE; i++) {
            assertThat(failures.due("tenant-" + i, "retry", i)).isZero();
        }
        assertThat(failures.due("late", "retry", 30 * SECOND)).isNegative();
        assertThat(failures.due("late", "retry", 59 * SECOND)).isNegative();

        assertThat(failures.due("late", "retry", 60 * SECOND)).as("with those that were not logged").isEqualTo(2);
        assertThat(failures.due("other", "retry", 61 * SECOND)).isZero();
    }

    @Test
    void beyond_a_thousand_kinds_the_oldest_is_forgotten() {
        for (int i = 0; i <= HandlerFailures.MAX_KINDS; i++) {
            failures.due("tenant-" + i, "retry", i * 10 * SECOND);
        }
        long nanos = HandlerFailures.MAX_KINDS * 10 * SECOND + SECOND;

        assertThat(failures.due("tenant-1000", "retry", nanos)).isNegative();
        assertThat(failures.due("tenant-700", "retry", nanos)).as("within the hour").isNegative();
        assertThat(failures.due("tenant-0", "retry", nanos)).isNotNegative();
    }
}
