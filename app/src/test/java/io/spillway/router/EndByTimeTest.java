package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.header;
import static io.spillway.router.RouterHarness.headers;
import static io.spillway.router.RouterHarness.item;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import java.time.Duration;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Items whose retryFor or expireAfter is over when the router sees them. */
class EndByTimeTest {
    private static final long HOUR = 3_600_000;
    private static final long DAY = 24 * HOUR;

    private final RouterHarness router = new RouterHarness();

    @AfterEach
    void close() {
        router.close();
    }

    @Test
    void what_ends_by_time_misses_the_objective_of_its_tenant_and_a_duplicate_does_not() {
        router.set("acme", PolicyField.DONE_WITHIN, "1m");
        router.send(item("acme", START_MILLIS - 14 * DAY));
        router.send(item("bolt", START_MILLIS - 14 * DAY));
        for (int i = 0; i < 2; i++) {
            router.send(item("acme", START_MILLIS), headers("spillway-id", "a", "spillway-dedupe", "true"));
        }

        assertThat(router.registry.get("spillway.objective.items").tags("tenant", "acme", "result", "ended").counter()
                .count()).isEqualTo(1);
        assertThat(router.count("spillway.objective.items", "tenant", "*other*")).isZero();
    }

    @Test
    void an_item_of_ingress_past_expire_after_is_a_dead_letter_with_its_position() {
        byte[] value = item("acme", START_MILLIS - 14 * DAY);
        router.send(value, headers("x", "y", "spillway-attempt", "3"));

        TestRecord<byte[], byte[]> dead = router.only(Lane.DEAD_LETTER);
        assertThat(dead.value()).isEqualTo(value);
        assertThat(header(dead, "x")).isEqualTo("y");
        assertThat(header(dead, "spillway-attempt")).as("a producer must not claim attempts").isNull();
        assertThat(header(dead, "spillway-dead-reason")).isEqualTo("expired");
        assertThat(header(dead, "spillway-dead-detail"))
                .isEqualTo("no attempt within 14d after it was enqueued or replayed (expireAfter)");
        assertThat(header(dead, "spillway-dead-stage")).isEqualTo("router");
        assertThat(header(dead, "spillway-origin-topic")).isEqualTo("spillway.ingress");
        assertThat(router.count("spillway.dead_lettered", "reason", "expired")).isEqualTo(1);
        assertThat(router.registry.get("spillway.sidelined").tag("to", "dead-letter").counters())
                .satisfies(counters -> assertThat(counters.stream().mapToDouble(each -> each.count()).sum())
                        .isEqualTo(1));

        router.send(item("acme", START_MILLIS - 14 * DAY + 1));
        router.only(Lane.AGED);
    }

    @Test
    void a_retry_past_retry_for_is_a_dead_letter_with_its_history() {
        retry(2, START_MILLIS - 6 * HOUR + 60_000, 60_000, headers());
        router.advance(Duration.ofMinutes(1));

        TestRecord<byte[], byte[]> dead = router.only(Lane.DEAD_LETTER);
        assertThat(header(dead, "spillway-dead-reason")).isEqualTo("retry-time-over");
        assertThat(header(dead, "spillway-dead-detail"))
                .isEqualTo("still failing 6h after it was enqueued or replayed (retryFor)");
        assertThat(header(dead, "spillway-attempt")).isEqualTo("2");
        assertThat(header(dead, "spillway-first-attempt-at")).isEqualTo("1");
        assertThat(header(dead, "spillway-origin-topic")).as("where it entered").isEqualTo("i");
    }

    @ParameterizedTest(name = "{0} attempts, enqueued {1} h before, replayed {2}: {3}")
    @CsvSource(nullValues = "-", value = {
        "1, 5,   -, AGED",
        "1, 6,   -, retry-time-over",
        "0, 6,   -, AGED",
        "0, 335, -, AGED",
        "0, 336, -, expired",
        "0, 336, 0, HOT",
        "1, 336, 5, AGED",
        "1, 336, 6, retry-time-over",
    })
    void a_due_item_ends_by_its_time_since_it_was_enqueued_or_replayed(
            int attempts, long enqueuedHours, Long replayedHours, String expected) {
        long dueMillis = START_MILLIS + 60_000;
        retry(attempts, dueMillis - enqueuedHours * HOUR, 60_000, replayedHours == null ? headers()
                : headers("spillway-replayed-at", Long.toString(dueMillis - replayedHours * HOUR)));
        router.advance(Duration.ofMinutes(1));

        boolean lives = expected.equals("HOT") || expected.equals("AGED");
        TestRecord<byte[], byte[]> found = router.only(lives ? Lane.valueOf(expected) : Lane.DEAD_LETTER);
        assertThat(header(found, "spillway-dead-reason")).isEqualTo(lives ? null : expected);
    }

    @Test
    void an_item_past_its_time_to_live_is_dropped_while_it_waits() {
        router.set("acme", PolicyField.TTL, "5m");
        retry(1, START_MILLIS, HOUR, headers());
        router.advance(Duration.ofMinutes(5));
        assertThat(router.dropped()).as("items up to their time to live are handled").isZero();
        router.advance(Duration.ofSeconds(1));
        assertThat(router.count("spillway.dropped", "reason", "ttl")).isEqualTo(1);
    }

    @Test
    void a_policy_that_is_changed_while_an_item_waits_applies() {
        retry(1, START_MILLIS, 60_000, headers());
        router.set("acme", PolicyField.RETRY_FOR, "30s");
        router.advance(Duration.ofMinutes(1));
        assertThat(header(router.only(Lane.DEAD_LETTER), "spillway-dead-reason")).isEqualTo("retry-time-over");
    }

    @Test
    void a_step_of_the_clock_ends_no_item() {
        router.set("acme", PolicyField.EXPIRE_AFTER, "1h");
        router.advance(Duration.ofMinutes(1));
        router.stepClock(Duration.ofDays(1));
        router.send(item("acme", START_MILLIS));
        router.only(Lane.HOT);

        router.advance(Duration.ofMinutes(11));
        router.send(item("acme", START_MILLIS));
        assertThat(header(router.only(Lane.DEAD_LETTER), "spillway-dead-reason")).isEqualTo("expired");
    }

    private void retry(int attempts, long enqueuedAtMillis, long afterMillis, Headers headers) {
        headers.add("spillway-origin", "i-0-0".getBytes());
        headers.add("spillway-first-attempt-at", "1".getBytes());
        headers.add("spillway-due", Long.toString(START_MILLIS + afterMillis).getBytes());
        if (attempts > 0) {
            headers.add("spillway-attempt", Integer.toString(attempts).getBytes());
        }
        router.sendDelayed(item("acme", enqueuedAtMillis), headers);
    }
}
