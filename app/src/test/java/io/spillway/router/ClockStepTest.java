package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.item;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Effect of a local clock that goes forward by a day while no time passes. */
class ClockStepTest {
    private static final Duration STEP = Duration.ofDays(1);
    private static final byte[] ITEM = item("acme", START_MILLIS);

    @Test
    void items_are_neither_dropped_nor_aged_by_a_step_of_the_clock() {
        try (RouterHarness router = new RouterHarness()) {
            router.set("acme", PolicyField.TTL, "1h");
            router.advance(Duration.ofMinutes(1));
            router.send(ITEM);
            router.only(Lane.HOT);

            router.stepClock(STEP);
            router.send(ITEM);
            router.only(Lane.HOT);
            assertThat(router.dropped()).isZero();
        }
    }

    @Test
    void an_item_that_is_too_old_without_the_step_is_dropped() {
        try (RouterHarness router = new RouterHarness()) {
            router.set("acme", PolicyField.TTL, "5m");
            router.advance(Duration.ofMinutes(4));
            router.stepClock(STEP);
            router.send(ITEM);
            router.only(Lane.HOT);

            router.advance(Duration.ofMinutes(2));
            router.send(ITEM);
            assertThat(router.dropped()).isEqualTo(1);
        }
    }

    @Test
    void after_ten_minutes_the_new_time_counts() {
        byte[] later = item("acme", START_MILLIS + Duration.ofMinutes(9).toMillis());
        try (RouterHarness router = new RouterHarness()) {
            router.set("acme", PolicyField.TTL, "1h");
            router.stepClock(STEP);
            router.advance(Duration.ofMinutes(9));
            router.send(later);
            router.only(Lane.HOT);

            router.advance(Duration.ofMinutes(2));
            router.send(later);
            assertThat(router.dropped()).isEqualTo(1);
        }
    }
}
