package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.header;
import static io.spillway.router.RouterHarness.headers;
import static io.spillway.router.RouterHarness.item;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Retries that the budget refuses. */
class ParkedRetriesTest extends ParkedScene {
    @Test
    void ten_thousand_refused_items_stay_and_nothing_goes_round() {
        tokens("acme", 20);
        for (int i = 0; i < 10_000; i++) {
            retry("acme", START_MILLIS, 1_000);
        }
        advance(20_000);
        assertThat(router.take(Lane.HOT)).as("saved retries, and the trickle").hasSize(21)
                .allSatisfy(each -> assertThat(header(each, "spillway-granted-by")).isEqualTo("0"));
        assertThat(parked()).hasSize(10_000 - 21);

        advance(MINUTE_MILLIS);
        assertThat(router.take(Lane.HOT)).isEmpty();
        assertThat(router.take(Lane.AGED)).isEmpty();
        assertThat(router.take(Lane.OVERFLOW)).isEmpty();
        assertThat(router.take(Lane.DEAD_LETTER)).isEmpty();
        assertThat(parked()).hasSize(10_000 - 21);
        assertThat(routed()).isEqualTo(21);
    }

    @Test
    void destinations_have_budgets_of_their_own() {
        tokens("acme", 1);
        spend("acme", 2);
        for (int i = 0; i < 4; i++) {
            retry("acme", START_MILLIS, 0, "spillway-destination", i % 2 == 0 ? "x" : "y");
        }
        assertThat(router.take(Lane.HOT)).as("a saved retry and the trickle of each").hasSize(4);
        retry("acme", START_MILLIS, 0, "spillway-destination", "x");
        retry("acme", START_MILLIS, 0, "spillway-destination", "y");
        assertThat(parked()).hasSize(2);

        router.mailboxes.offer(List.of(succeeded("y", "acme", 1)));
        advance(200);
        assertThat(header(router.only(Lane.HOT), "spillway-destination")).isEqualTo("y");
    }

    @ParameterizedTest(name = "attempts {0}, reason {1}: asks {2}")
    @CsvSource({
        "1, retry, true", "3, retry, true", "0, retry, false", "1, capped, false", "1, later, false",
        "1, -, false", "0, -, false"})
    void only_retries_ask_the_budget(String attempts, String reason, boolean asks) {
        tokens("acme", 1);
        spend("acme", 2);
        router.sendDelayed(item("acme", START_MILLIS), headers(
                "spillway-origin", "i-0-0", "spillway-due", Long.toString(START_MILLIS + 1_000),
                "spillway-attempt", attempts, "spillway-lane-reason", reason));
        advance(2_000);
        assertThat(router.take(Lane.HOT)).hasSize(asks ? 0 : 1);
        assertThat(parked()).hasSize(asks ? 1 : 0);
    }

    @Test
    void a_parked_item_becomes_a_dead_letter_at_its_end_without_an_attempt() {
        tokens("acme", 1);
        spend("acme", 2);
        retry("acme", START_MILLIS - 2 * MINUTE_MILLIS, 0);
        retry("acme", START_MILLIS, 0);
        advance(6 * 60 * MINUTE_MILLIS - 2 * MINUTE_MILLIS - 1_000);
        assertThat(router.take(Lane.DEAD_LETTER)).isEmpty();
        assertThat(parked()).hasSize(2);
        advance(1_200);
        TestRecord<byte[], byte[]> dead = router.only(Lane.DEAD_LETTER);
        assertThat(header(dead, "spillway-dead-reason")).isEqualTo("retry-time-over");
        assertThat(header(dead, "spillway-attempt")).isEqualTo("1");
        advance(2 * MINUTE_MILLIS);
        router.only(Lane.DEAD_LETTER);
        assertThat(parked()).isEmpty();
    }

    @Test
    void an_item_ends_before_its_backoff_is_over() {
        router.set("acme", PolicyField.RETRY_FOR, "1m");
        retry("acme", START_MILLIS, 5 * MINUTE_MILLIS);
        advance(MINUTE_MILLIS - 200);
        assertThat(router.take(Lane.DEAD_LETTER)).isEmpty();
        advance(400);
        assertThat(header(router.only(Lane.DEAD_LETTER), "spillway-dead-reason")).isEqualTo("retry-time-over");
    }

    @Test
    void a_clock_that_steps_forward_ends_no_item() {
        tokens("acme", 1);
        spend("acme", 2);
        retry("acme", START_MILLIS, 0);
        retry("acme", START_MILLIS, 30 * MINUTE_MILLIS);
        router.stepClock(Duration.ofHours(7));
        advance(5_000);
        assertThat(router.take(Lane.DEAD_LETTER)).isEmpty();
        assertThat(router.take(Lane.HOT)).isEmpty();
        assertThat(parked()).hasSize(2);
    }

    @Test
    void an_item_whose_tenant_may_retry_for_longer_now_waits_on() {
        router.set("acme", PolicyField.RETRY_FOR, "10m");
        tokens("acme", 1);
        spend("acme", 2);
        retry("acme", START_MILLIS, 0);
        router.set("acme", PolicyField.RETRY_FOR, "30m");
        advance(20 * MINUTE_MILLIS);
        assertThat(parked()).hasSize(1);
        assertThat(router.take(Lane.HOT)).isEmpty();
        assertThat(router.take(Lane.DEAD_LETTER)).isEmpty();
    }

    @Test
    void the_gauge_names_the_tenants_with_most_parked_items() {
        for (String tenant : List.of("a", "b", "c")) {
            tokens(tenant, 1);
            spend(tenant, 2);
        }
        for (int i = 0; i < 60; i++) {
            retry(i < 5 ? "a" : i < 25 ? "b" : "c", START_MILLIS, 0);
        }
        advance(400);
        router.delays.electTenants();
        assertThat(gauges()).isEqualTo(60);
        assertThat(router.registry.get("spillway.delay.parked").gauges()).as("two tenants and all others").hasSize(3);
        assertThat(router.registry.get("spillway.delay.parked").tag("tenant", "*other*").gauge().value()).isPositive();
    }
}
