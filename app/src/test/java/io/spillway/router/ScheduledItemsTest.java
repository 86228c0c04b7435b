package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.header;
import static io.spillway.router.RouterHarness.headers;
import static io.spillway.router.RouterHarness.item;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import java.time.Duration;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Items whose producer set the time of their first attempt. */
class ScheduledItemsTest {
    private final RouterHarness router = new RouterHarness();

    @AfterEach
    void close() {
        router.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 999, 1_000, 3_600_000})
    void an_item_waits_until_its_time_and_no_longer(long aheadMillis) {
        byte[] value = item("acme", START_MILLIS - 1_000);
        schedule(value, START_MILLIS + aheadMillis);

        router.advance(Duration.ofMillis(aheadMillis - 1));
        assertThat(router.take(Lane.HOT)).isEmpty();
        router.advance(Duration.ofMillis(1));
        TestRecord<byte[], byte[]> due = router.only(Lane.HOT);
        assertThat(due.value()).isEqualTo(value);
        assertThat(header(due, "spillway-lane-reason")).isEqualTo("due");
        assertThat(header(due, "spillway-deliver-at")).isEqualTo(Long.toString(START_MILLIS + aheadMillis));
        assertThat(header(due, "spillway-due")).isEqualTo(Long.toString(START_MILLIS + aheadMillis));
        assertThat(header(due, "spillway-origin")).isEqualTo("spillway.ingress-0-0");
        assertThat(router.count("spillway.routed", "reason", "scheduled")).isEqualTo(1);
        assertThat(router.registry.get("spillway.delay.clamped").counter().count()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "946684800000", "" + 1_700_000_000_000L})
    void an_item_whose_time_is_past_is_not_delayed(String deliverAt) {
        router.send(item("acme", START_MILLIS), headers("spillway-deliver-at", deliverAt));
        assertThat(header(router.only(Lane.HOT), "spillway-lane-reason")).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1795003600", "1795003600000000", "1795003600000000000", "2026-11-21T08:00:00Z", "1", "-5",
        "", "soon", "1e20", "99999999999999999999"})
    void an_item_whose_time_has_another_unit_or_form_is_a_dead_letter_and_never_handled_early(String deliverAt) {
        byte[] value = item("acme", START_MILLIS);
        router.send(value, headers("spillway-deliver-at", deliverAt));

        TestRecord<byte[], byte[]> dead = router.only(Lane.DEAD_LETTER);
        assertThat(header(dead, "spillway-dead-reason")).isEqualTo("bad-deliver-at");
        assertThat(header(dead, "spillway-dead-detail"))
                .isEqualTo("'" + deliverAt + "' is not epoch milliseconds (spillway-deliver-at)");
        assertThat(dead.value()).isEqualTo(value);
    }

    @Test
    void a_replayed_dead_letter_with_such_a_time_is_handled_at_once() {
        router.sendDelayed(item("acme", START_MILLIS), headers("spillway-origin", "spillway.ingress-0-0",
                "spillway-due", "1", "spillway-replayed-at", "1", "spillway-deliver-at", "1795003600"));
        router.only(Lane.HOT);
    }

    @Test
    void an_item_whose_time_is_now_is_not_delayed() {
        schedule(item("acme", START_MILLIS), START_MILLIS);
        router.only(Lane.HOT);
    }

    @ParameterizedTest
    @EnumSource(names = {"TTL", "AGED_AFTER", "EXPIRE_AFTER"})
    void age_counts_from_its_time(PolicyField limit) {
        router.set("acme", limit, "1h");
        schedule(item("acme", START_MILLIS - 3_000_000), START_MILLIS + 7_200_000);
        router.advance(Duration.ofHours(2));
        router.only(Lane.HOT);
    }

    @Test
    void an_item_that_comes_after_its_time_ages_from_its_time() {
        router.set("acme", PolicyField.AGED_AFTER, "1h");
        byte[] value = item("acme", START_MILLIS - 86_400_000);
        schedule(value, START_MILLIS - 3_600_000);
        router.only(Lane.HOT);
        schedule(value, START_MILLIS - 3_600_001);
        router.only(Lane.AGED);
    }

    @ParameterizedTest
    @ValueSource(longs = {15 * 86_400_000L, 1_000 * 365 * 86_400_000L})
    void a_time_too_far_ahead_is_limited_to_fourteen_days(long aheadMillis) {
        schedule(item("acme", START_MILLIS), START_MILLIS + aheadMillis);

        assertThat(router.registry.get("spillway.delay.clamped").counter().count()).isEqualTo(1);
        router.advance(Duration.ofDays(14).minusMillis(1));
        assertThat(router.take(Lane.HOT)).isEmpty();
        router.advance(Duration.ofMillis(1));
        assertThat(header(router.only(Lane.HOT), "spillway-deliver-at"))
                .as("the start of its age").isEqualTo(Long.toString(START_MILLIS + 14 * 86_400_000L));
    }

    @Test
    void the_rate_is_charged_when_an_item_is_due() {
        router.set("acme", PolicyField.RATE, "1");
        schedule(item("acme", START_MILLIS), START_MILLIS + 60_000);
        schedule(item("acme", START_MILLIS), START_MILLIS + 60_000);
        router.send(item("acme", START_MILLIS));
        router.only(Lane.HOT);

        router.advance(Duration.ofMinutes(1));
        assertThat(router.take(Lane.HOT)).hasSize(1);
        assertThat(router.take(Lane.OVERFLOW)).hasSize(1);
    }

    @Test
    void a_sweep_covers_an_item_by_its_enqueue_time() {
        router.set("acme", PolicyField.SWEEPABLE, "true");
        schedule(item("acme", START_MILLIS), START_MILLIS + 600_000);
        router.advance(Duration.ofMinutes(5));
        router.sweep("acme", START_MILLIS + 200_000, START_MILLIS + 250_000);
        schedule(item("acme", START_MILLIS), START_MILLIS + 600_000);
        assertThat(router.count("spillway.dropped", "reason", "sweep")).as("at entry").isEqualTo(1);

        router.advance(Duration.ofMinutes(5));
        assertThat(router.count("spillway.dropped", "reason", "sweep")).as("when it is due").isEqualTo(2);
    }

    private void schedule(byte[] value, long atMillis) {
        router.send(value, headers("spillway-deliver-at", Long.toString(atMillis)));
    }
}
