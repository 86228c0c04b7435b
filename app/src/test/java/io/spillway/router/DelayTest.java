package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.header;
import static io.spillway.router.RouterHarness.headers;
import static io.spillway.router.RouterHarness.item;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.router.delay.Timers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DelayTest {
    private final RouterHarness router = RouterHarness.withRocksDb();

    @AfterEach
    void close() {
        router.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 49, 50, 51, 1_000, 10_001, 299_999})
    void an_item_waits_until_it_is_due_and_no_longer(long waitMillis) {
        delay(waitMillis);

        router.advance(Duration.ofMillis(waitMillis - 1));
        assertThat(router.take(Lane.HOT)).isEmpty();
        router.advance(Duration.ofMillis(1));
        router.only(Lane.HOT);
        router.advance(Duration.ofDays(1));
        assertThat(router.take(Lane.HOT)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, -1_795_248_000_000L, Long.MIN_VALUE + 2_000_000_000_000L})
    void an_item_that_is_already_due_is_forwarded_at_once(long waitMillis) {
        delay(waitMillis);

        router.only(Lane.HOT);
        assertThat(router.timers().all()).isExhausted();
    }

    @Test
    void items_leave_in_the_order_of_their_due_times_and_then_of_arrival() {
        long seed = Long.getLong("spillway.test.seed", 20_261_121);
        List<Integer> waits = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            waits.add(1 + i / 3 * 1_000);
        }
        Collections.shuffle(waits, new Random(seed));
        for (int i = 0; i < waits.size(); i++) {
            router.sendDelayed(item("acme", START_MILLIS),
                    retried(waits.get(i), "x-order", String.format("%06d-%03d", waits.get(i), i)));
        }

        router.advance(Duration.ofMinutes(4));

        assertThat(router.take(Lane.HOT)).as("seed %d", seed).hasSize(300)
                .extracting(record -> header(record, "x-order")).isSorted();
    }

    @Test
    void an_item_due_before_all_waiting_items_is_not_late() {
        delay(60_000);
        router.advance(Duration.ofMillis(20_000));
        delay(30_000);
        delay(25_000);

        router.advance(Duration.ofMillis(5_000));
        assertThat(router.take(Lane.HOT)).hasSize(1);
        router.advance(Duration.ofMillis(5_000));
        assertThat(router.take(Lane.HOT)).hasSize(1);
        delay(40_000);
        router.advance(Duration.ofMillis(10_000));
        assertThat(router.take(Lane.HOT)).hasSize(1);
        router.advance(Duration.ofMillis(20_000));
        assertThat(router.take(Lane.HOT)).hasSize(1);
    }

    @Test
    void at_most_a_thousand_are_taken_at_a_time_and_ingress_is_routed_between() {
        for (int i = 0; i < 2_500; i++) {
            delay(1_000 + i % 7);
        }
        router.advance(Duration.ofSeconds(10));
        assertThat(router.take(Lane.HOT)).hasSize(1_000);
        router.send(item("acme", START_MILLIS));
        router.only(Lane.HOT);

        router.advance(Duration.ofMillis(49));
        assertThat(router.take(Lane.HOT)).isEmpty();
        router.advance(Duration.ofMillis(1));
        assertThat(router.take(Lane.HOT)).hasSize(1_000);
        router.advance(Duration.ofMillis(50));
        assertThat(router.take(Lane.HOT)).hasSize(500);
    }

    @Test
    void fewer_large_items_are_taken_at_a_time() {
        byte[] large = new byte[18_000];
        for (int i = 0; i < 600; i++) {
            router.sendDelayed(large, retried(1_000, "spillway-tenant", "acme"));
        }
        router.advance(Duration.ofSeconds(1));
        int first = router.take(Lane.HOT).size();
        assertThat(first).isBetween(Timers.MOST_BYTES / 19_000, Timers.MOST_BYTES / 18_000 + 1);
        router.advance(Duration.ofMillis(50));
        assertThat(router.take(Lane.HOT)).hasSize(600 - first);
    }

    @Test
    void an_item_is_unchanged_except_for_due_time_and_reason() {
        byte[] value = item("acme", START_MILLIS);
        router.sendDelayed(value, headers(
                "traceparent", "00-aa-bb-01", "spillway-origin", "spillway.ingress-3-17", "spillway-lane-reason",
                        "fresh",
                "spillway-attempt", "2", "spillway-moves", "1", "spillway-first-attempt-at", "7",
                        "spillway-replayed-at", "8",
                "spillway-due", Long.toString(START_MILLIS + 100)));

        router.advance(Duration.ofMillis(100));

        TestRecord<byte[], byte[]> routed = router.only(Lane.HOT);
        assertThat(routed.value()).isEqualTo(value);
        assertThat(routed.key()).isEqualTo("key".getBytes(StandardCharsets.UTF_8));
        assertThat(routed.timestamp()).isEqualTo(START_MILLIS);
        assertThat(text(routed.headers())).containsExactly(
                "traceparent=00-aa-bb-01", "spillway-origin=spillway.ingress-3-17", "spillway-attempt=2",
                "spillway-moves=1", "spillway-first-attempt-at=7", "spillway-replayed-at=8",
                        "spillway-lane-reason=retry");
    }

    @Test
    void an_item_that_its_handler_put_off_keeps_its_due_time() {
        router.sendDelayed(item("acme", START_MILLIS), headers(
                "spillway-origin", "i-0-0", "spillway-lane-reason", "later",
                "spillway-due", Long.toString(START_MILLIS + 100)));
        router.advance(Duration.ofSeconds(1));

        assertThat(text(router.only(Lane.HOT).headers())).containsExactly(
                "spillway-origin=i-0-0", "spillway-due=" + (START_MILLIS + 100), "spillway-lane-reason=due");
    }

    @Test
    void an_item_that_waited_equals_one_that_was_already_due() {
        router.sendDelayed(item("acme", START_MILLIS), retried(0, "a", "b"));
        TestRecord<byte[], byte[]> atOnce = router.only(Lane.HOT);
        router.sendDelayed(item("acme", START_MILLIS), retried(5_000, "a", "b"));
        router.advance(Duration.ofSeconds(5));

        assertThat(text(router.only(Lane.HOT).headers())).isEqualTo(text(atOnce.headers()));
    }

    @ParameterizedTest(name = "attempts {0}: {1}")
    @CsvSource({"1, retry", "7, retry", "0, due", "-, due", "x, due"})
    void the_reason_of_an_item_that_returns_to_hot_states_whether_it_was_tried(String attempts, String reason) {
        router.sendDelayed(item("acme", START_MILLIS), headers(
                "spillway-origin", "i-0-0", "spillway-due", "0", "spillway-attempt", attempts));

        assertThat(header(router.only(Lane.HOT), "spillway-lane-reason")).isEqualTo(reason);
        assertThat(router.count("spillway.routed", "reason", reason)).isEqualTo(1);
    }

    /** Aged after 5 minutes, time to live 1 hour, sweep started 10 minutes ago. Minutes before the due time. */
    @ParameterizedTest(name = "enqueued {0} min and entered {1} min before it is due, replayed {2}: {3}")
    @CsvSource({
        "4, 4,   -,   HOT",
        "5, 5,   -,   HOT",
        "6, 6,   -,   AGED",
        "9, 9,   4,   HOT",
        "9, 9,   5,   HOT",
        "9, 9,   6,   AGED",
        "9, 9,   99,  AGED",
        "9, 9,   -5,  HOT",
        "11, 12,  -,   AGED",
        "12, 11,  -,   AGED",
        "12, 12,  -,   sweep",
        "12, 12,  1,   sweep",
        "600, 600, 1,   sweep",
    })
    void a_due_item_is_routed_by_the_rules_again(
            long enqueuedMinutes, long enteredMinutes, String replayedMinutes, String expected) {
        router.set("acme", PolicyField.SWEEPABLE, "true");
        long dueMillis = START_MILLIS + 60_000;
        router.sweep("acme", dueMillis - 10 * 60_000, START_MILLIS);
        Headers headers = headers("spillway-origin", "i-0-0", "spillway-due", Long.toString(dueMillis));
        replayed(headers, replayedMinutes, dueMillis);

        router.enteredAtMillis = dueMillis - enteredMinutes * 60_000;
        router.sendDelayed(item("acme", dueMillis - enqueuedMinutes * 60_000), headers);
        router.advance(Duration.ofMinutes(1));

        expect(expected);
    }

    @ParameterizedTest(name = "enqueued {0} min before it is due, replayed {1}: {2}")
    @CsvSource({"60, -, AGED", "61, -, ttl", "61, 60, AGED", "61, 61, ttl", "61, 1, HOT", "99, 59, AGED"})
    void time_to_live_counts_from_the_replay(long enqueuedMinutes, String replayedMinutes, String expected) {
        router.set("acme", PolicyField.TTL, "1h");
        long dueMillis = START_MILLIS + 60_000;
        Headers headers = headers("spillway-origin", "i-0-0", "spillway-due", Long.toString(dueMillis));
        replayed(headers, replayedMinutes, dueMillis);

        router.sendDelayed(item("acme", dueMillis - enqueuedMinutes * 60_000), headers);
        router.advance(Duration.ofMinutes(1));

        expect(expected);
    }

    @Test
    void retries_above_the_rate_of_their_tenant_overflow() {
        router.set("acme", PolicyField.RATE, "1");
        for (int i = 0; i < 3; i++) {
            delay(1_000);
        }
        router.advance(Duration.ofSeconds(1));

        assertThat(router.take(Lane.HOT)).hasSize(1);
        assertThat(router.take(Lane.OVERFLOW)).hasSize(2)
                .allSatisfy(record -> assertThat(header(record, "spillway-lane-reason")).isEqualTo("rate"));
    }

    @Test
    void the_policy_in_force_when_it_is_due_counts() {
        delay(1_000);
        router.set("acme", PolicyField.AGED_AFTER, "500ms");
        router.advance(Duration.ofSeconds(1));

        router.only(Lane.AGED);
    }

    @Test
    void a_due_time_too_far_ahead_is_limited_to_thirty_days() {
        router.set("acme", PolicyField.RETRY_FOR, "none");
        delay(Long.MAX_VALUE - START_MILLIS);
        assertThat(router.registry.get("spillway.delay.clamped").counter().count()).isEqualTo(1);

        router.advance(Duration.ofDays(30).minusMillis(1));
        assertThat(router.take(Lane.AGED)).isEmpty();
        router.advance(Duration.ofMillis(1));
        router.only(Lane.AGED);
    }

    @Test
    void gauges_show_how_many_items_wait_and_how_long_the_first_is_overdue() {
        for (int i = 0; i < 1_500; i++) {
            delay(10_000);
        }
        assertThat(gauge("spillway.delay.timers")).isEqualTo(1_500);
        assertThat(gauge("spillway.delay.overdue")).isZero();

        router.advance(Duration.ofSeconds(12));
        assertThat(gauge("spillway.delay.timers")).isEqualTo(500);
        assertThat(gauge("spillway.delay.overdue")).as("seconds").isEqualTo(2);
        router.advance(Duration.ofSeconds(1));
        assertThat(gauge("spillway.delay.timers")).isZero();
        assertThat(gauge("spillway.delay.overdue")).isZero();
    }

    @Test
    void a_partition_whose_task_has_not_looked_for_due_items_does_not_count_as_running() {
        assertThat(gauge("spillway.delay.partitions")).isEqualTo(router.topics.partitions());
        assertThat(gauge("spillway.delay.partitions.running")).as("restored").isZero();

        router.advance(Duration.ofMillis(1));
        assertThat(gauge("spillway.delay.partitions.running")).isEqualTo(1);
    }

    private double gauge(String name) {
        var gauge = router.registry.get(name).gauge();
        return "milliseconds".equals(gauge.getId().getBaseUnit()) ? gauge.value() / 1_000 : gauge.value();
    }

    private void delay(long waitMillis) {
        router.sendDelayed(item("acme", START_MILLIS), retried(waitMillis));
    }

    private static Headers retried(long waitMillis, String... more) {
        Headers headers = headers(more);
        headers.add("spillway-origin", "spillway.ingress-0-1".getBytes(StandardCharsets.UTF_8));
        headers.add("spillway-attempt", "1".getBytes(StandardCharsets.UTF_8));
        headers.add("spillway-due", Long.toString(START_MILLIS + waitMillis).getBytes(StandardCharsets.UTF_8));
        return headers;
    }

    private static void replayed(Headers headers, String minutes, long dueMillis) {
        if (!minutes.equals("-")) {
            String at = Long.toString(dueMillis - Long.parseLong(minutes) * 60_000);
            headers.add("spillway-replayed-at", at.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static List<String> text(Headers headers) {
        return Arrays.stream(headers.toArray()).map(DelayTest::text).toList();
    }

    private static String text(Header header) {
        return header.key() + "=" + new String(header.value(), StandardCharsets.UTF_8);
    }

    private void expect(String laneOrReason) {
        if (laneOrReason.equals("sweep") || laneOrReason.equals("ttl")) {
            RouterHarness.LANES.forEach(lane -> assertThat(router.take(lane)).isEmpty());
            assertThat(router.count("spillway.dropped", "reason", laneOrReason)).isEqualTo(1);
        } else {
            router.only(Lane.valueOf(laneOrReason));
        }
    }
}
