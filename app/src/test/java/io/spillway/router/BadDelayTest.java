package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.header;
import static io.spillway.router.RouterHarness.headers;
import static io.spillway.router.RouterHarness.item;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.item.Lane;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class BadDelayTest {
    private static final byte[] GOOD = item("acme", START_MILLIS);
    private static final String SOON = Long.toString(START_MILLIS + 1_000);

    record Bad(String name, byte[] value, Headers headers, String reason) {
        @Override
        public String toString() {
            return name + ": " + reason;
        }
    }

    static Stream<Bad> bad_records() {
        Headers many = headers("spillway-origin", "spillway.ingress-1-2", "spillway-due", SOON);
        for (int i = 0; i < 1_031; i++) {
            many.add("h" + i, new byte[0]);
        }
        Headers nothing = headers("spillway-origin", "spillway.ingress-1-2");
        nothing.add("spillway-due", null);
        return Stream.of(
                new Bad("null", null, internal(SOON), "null-value"),
                new Bad("text", "hello".getBytes(StandardCharsets.UTF_8), internal(SOON), "malformed"),
                new Bad("cut off", Arrays.copyOf(GOOD, 20), internal(SOON), "malformed"),
                new Bad("bad tenant", item("a b", START_MILLIS), internal("0"), "bad-tenant"),
                new Bad("too large", new byte[60_000], internal(SOON, "spillway-tenant", "acme"), "too-large"),
                new Bad("too many headers", GOOD, many, "too-many-headers"),
                new Bad("no due time", GOOD, headers("spillway-origin", "spillway.ingress-1-2"), "bad-due"),
                new Bad("due null", GOOD, nothing, "bad-due"),
                new Bad("due empty", GOOD, internal(""), "bad-due"),
                new Bad("due in words", GOOD, internal("tomorrow"), "bad-due"),
                new Bad("due with a fraction", GOOD, internal("1.5"), "bad-due"),
                new Bad("due beyond a long", GOOD, internal("9223372036854775808"), "bad-due"),
                new Bad("due without end", GOOD, internal("1".repeat(10_000)), "bad-due"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bad_records")
    void a_bad_record_becomes_a_dead_letter_at_once_and_the_next_record_is_delayed(Bad bad) {
        try (RouterHarness router = new RouterHarness()) {
            int before = bad.headers.toArray().length;
            router.sendDelayed(bad.value, bad.headers);

            TestRecord<byte[], byte[]> dead = router.only(Lane.DEAD_LETTER);
            assertThat(dead.value()).isEqualTo(bad.value);
            assertThat(dead.headers().toArray()).hasSize(before + 7);
            assertThat(header(dead, "spillway-dead-reason")).isEqualTo(bad.reason);
            assertThat(header(dead, "spillway-dead-detail")).isNotBlank().matches("[ -~]{1,200}");
            assertThat(header(dead, "spillway-dead-stage")).isEqualTo("delay");
            assertThat(header(dead, "spillway-dead-at")).isEqualTo(Long.toString(START_MILLIS));
            assertThat(header(dead, "spillway-origin")).isEqualTo("spillway.ingress-1-2");
            assertThat(header(dead, "spillway-origin-topic")).isEqualTo("spillway.ingress");
            assertThat(header(dead, "spillway-origin-partition")).isEqualTo("1");
            assertThat(header(dead, "spillway-origin-offset")).isEqualTo("2");
            assertThat(router.count("spillway.dead_lettered", "reason", bad.reason)).isEqualTo(1);

            router.sendDelayed(GOOD, internal(SOON));
            router.advance(Duration.ofSeconds(1));
            router.only(Lane.HOT);
        }
    }

    @Test
    void an_item_with_the_most_headers_of_ingress_and_the_internal_headers_is_valid() {
        try (RouterHarness router = new RouterHarness()) {
            Headers most = internal(SOON, "spillway-attempt", "1", "spillway-moves", "1", "spillway-replayed-at", "1",
                    "spillway-first-attempt-at", "1", "spillway-lane-reason", "fresh",
                    "spillway-blame", "1", "spillway-wait", "1", "spillway-destination", "x");
            for (int i = 0; i < 1_000; i++) {
                most.add("h" + i, new byte[0]);
            }
            router.sendDelayed(GOOD, most);
            router.advance(Duration.ofSeconds(1));

            assertThat(router.only(Lane.HOT).headers().toArray()).hasSize(1_009);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "spillway.ingress", "spillway.ingress-1", "a b-1-2", "i-1-x", "i--1-2x",
            "i-1-99999999999999999999"})
    void a_record_of_another_writer_loses_its_internal_headers_and_its_origin_is_its_position(String origin) {
        try (RouterHarness router = new RouterHarness()) {
            Headers headers = headers("spillway-due", SOON, "spillway-attempt", "4", "spillway-replayed-at", "1",
                    "spillway-moves", "9",
                    "spillway-dead-reason", "x", "spillway-mine", "kept");
            if (!origin.isEmpty()) {
                headers.add("spillway-origin", origin.getBytes(StandardCharsets.UTF_8));
            }
            router.sendDelayed(GOOD, headers);
            assertThat(router.take(Lane.HOT)).isEmpty();
            router.advance(Duration.ofSeconds(1));

            TestRecord<byte[], byte[]> routed = router.only(Lane.HOT);
            assertThat(names(routed)).containsExactly("spillway-mine", "spillway-origin", "spillway-lane-reason");
            assertThat(header(routed, "spillway-origin")).isEqualTo("spillway.delay-0-0");
            assertThat(header(routed, "spillway-lane-reason")).isEqualTo("due");
        }
    }

    @Test
    void a_replayed_dead_letter_keeps_its_origin_in_ingress() {
        try (RouterHarness router = new RouterHarness()) {
            router.sendDelayed(GOOD, headers(
                    "a", "b", "spillway-dead-reason", "bad-id", "spillway-dead-detail", "x", "spillway-dead-stage",
                            "router",
                    "spillway-dead-at", "1", "spillway-origin-topic", "spillway.ingress", "spillway-origin-partition",
                            "7",
                    "spillway-origin-offset", "9", "spillway-replayed-at", "5", "spillway-due", SOON));
            router.advance(Duration.ofSeconds(1));

            TestRecord<byte[], byte[]> routed = router.only(Lane.HOT);
            assertThat(names(routed))
                    .containsExactly("a", "spillway-replayed-at", "spillway-origin", "spillway-lane-reason");
            assertThat(header(routed, "spillway-origin")).isEqualTo("spillway.ingress-7-9");
        }
    }

    @Test
    void an_implausible_time_of_another_writer_counts_as_now_and_is_corrected() {
        try (RouterHarness router = new RouterHarness()) {
            router.sendDelayed(GOOD, headers("spillway-due", SOON, "spillway-enqueued-at", "0"));
            router.advance(Duration.ofSeconds(1));

            assertThat(header(router.only(Lane.HOT), "spillway-enqueued-at")).isEqualTo(SOON);
        }
    }

    @Test
    void an_internal_error_makes_a_dead_letter_and_the_next_timers_fire() {
        List<Throwable> faults = new ArrayList<>(List.of(
                new IllegalStateException("a bug"), new AssertionError("a bug"), new StackOverflowError()));
        try (RouterHarness router = new RouterHarness(decider -> (record, now) -> {
            if (!faults.isEmpty()) {
                RouterHarnessFaults.throwUnchecked(faults.removeFirst());
            }
            return decider.decide(record, now);
        })) {
            for (int i = 0; i < 5; i++) {
                router.sendDelayed(GOOD, internal(SOON));
            }
            router.advance(Duration.ofSeconds(1));

            assertThat(router.take(Lane.HOT)).hasSize(2);
            assertThat(router.take(Lane.DEAD_LETTER)).hasSize(3).allSatisfy(dead -> {
                assertThat(header(dead, "spillway-dead-reason")).isEqualTo("router-error");
                assertThat(header(dead, "spillway-origin-offset")).isEqualTo("2");
                assertThat(dead.value()).isEqualTo(GOOD);
            });
        }
    }

    @Test
    void an_out_of_memory_error_makes_no_dead_letter_of_a_timer() {
        try (RouterHarness router = new RouterHarness(decider -> (record, now) -> {
            throw new OutOfMemoryError("test");
        })) {
            router.sendDelayed(GOOD, internal(SOON));
            assertThatThrownBy(() -> router.advance(Duration.ofSeconds(1))).isInstanceOf(OutOfMemoryError.class);
            assertThat(router.take(Lane.DEAD_LETTER)).isEmpty();
        }
    }

    @Test
    void a_timer_of_a_later_version_stops_the_router_with_words_and_stays() {
        try (RouterHarness router = new RouterHarness()) {
            router.sendDelayed(GOOD, internal(SOON));
            Bytes key = router.timers().all().next().key;
            byte[] later = {9, 1, 2, 3, 4, 5, 6, 7, 8, 9};
            router.timers().put(key, later);

            assertThatThrownBy(() -> router.advance(Duration.ofSeconds(1)))
                    .rootCause()
                    .hasMessageContainingAll("version 9 of a later release", "Start routers of that release");
            assertThat(router.timers().get(key)).isEqualTo(later);
            assertThat(router.take(Lane.DEAD_LETTER)).isEmpty();
        }
    }

    @Test
    void a_timer_of_no_version_becomes_a_dead_letter_and_the_next_fires() {
        try (RouterHarness router = new RouterHarness()) {
            router.sendDelayed(GOOD, internal(SOON));
            Bytes key = router.timers().all().next().key;
            byte[] unknownVersion = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
            router.timers().put(key, unknownVersion);
            router.sendDelayed(GOOD, internal(SOON));
            router.advance(Duration.ofSeconds(1));

            TestRecord<byte[], byte[]> dead = router.take(Lane.DEAD_LETTER).getFirst();
            assertThat(dead.value()).isEqualTo(unknownVersion);
            assertThat(header(dead, "spillway-dead-reason")).isEqualTo("router-error");
            assertThat(header(dead, "spillway-dead-detail")).contains("version 0");
            assertThat(header(dead, "spillway-origin-topic")).isEqualTo("spillway.delay");
            router.only(Lane.HOT);
        }
    }

    @Test
    void any_record_of_the_delay_lane_ends_in_exactly_one_lane_or_is_dropped() {
        long seed = Long.getLong("spillway.test.seed", 20_261_121);
        Random random = new Random(seed);
        try (RouterHarness router = new RouterHarness()) {
            router.set("acme", io.spillway.core.policy.PolicyField.RATE, "1");
            router.set("old", io.spillway.core.policy.PolicyField.TTL, "1h");
            int sent = 3_000;
            for (int i = 0; i < sent; i++) {
                Headers headers = Generated.headers(random);
                if (random.nextInt(4) > 0) {
                    long due = START_MILLIS + random.nextLong(-1_000, 100_000);
                    headers.add("spillway-due", Long.toString(due).getBytes(StandardCharsets.UTF_8));
                }
                router.sendDelayed(Generated.value(random), headers);
                router.advance(Duration.ofMillis(random.nextInt(100)));
            }
            router.advance(Duration.ofDays(31));
            router.advance(Duration.ofSeconds(1));
            router.advance(Duration.ofSeconds(1));

            double out = router.dropped();
            for (Lane lane : RouterHarness.LANES) {
                List<TestRecord<byte[], byte[]>> records = router.take(lane);
                out += records.size();
                assertThat(records).as("%s, seed %d", lane, seed).isNotEmpty()
                        .allMatch(record -> record.headers().lastHeader("spillway-origin") != null);
            }
            assertThat(out).as("seed %d", seed).isEqualTo(sent);
            assertThat(router.timers().all()).isExhausted();
        }
    }

    private static Headers internal(String due, String... more) {
        Headers headers = headers("spillway-origin", "spillway.ingress-1-2", "spillway-due", due);
        headers(more).forEach(headers::add);
        return headers;
    }

    private static List<String> names(TestRecord<byte[], byte[]> record) {
        return Arrays.stream(record.headers().toArray()).map(Header::key).toList();
    }
}
