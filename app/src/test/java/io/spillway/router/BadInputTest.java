package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.header;
import static io.spillway.router.RouterHarness.headers;
import static io.spillway.router.RouterHarness.item;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.item.Lane;
import io.spillway.kafka.codec.LedgerOwner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class BadInputTest {
    private static final byte[] GOOD = item("acme", START_MILLIS);

    record Bad(String name, byte[] value, Headers headers, String reason) {
        @Override
        public String toString() {
            return name + ": " + reason;
        }
    }

    static Stream<Bad> bad_records() {
        Headers many = new RecordHeaders();
        for (int i = 0; i < 10_000; i++) {
            many.add("h" + i, new byte[0]);
        }
        byte[] unknown = GOOD.clone();
        unknown[5] ^= 1;
        byte[] hugeTenant = Arrays.copyOf(GOOD, 16);
        Arrays.fill(hugeTenant, 10, 16, (byte) 0xff);
        byte[] hugeLength = Arrays.copyOf(GOOD, 20);
        System.arraycopy(new byte[] {(byte) 0xfe, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x0f}, 0, hugeLength, 10, 5);
        return Stream.of(
                new Bad("null", null, headers(), "null-value"),
                new Bad("null with a tenant", null, headers("spillway-tenant", "acme"), "null-value"),
                new Bad("empty", new byte[0], headers(), "malformed"),
                new Bad("text", "hello world".getBytes(StandardCharsets.UTF_8), headers(), "malformed"),
                new Bad("registry framing", new byte[] {0, 0, 0, 0, 1, 2, 3}, headers(), "schema-registry-framing"),
                new Bad("unknown fingerprint", unknown, headers(), "unknown-schema"),
                new Bad("endless number", hugeTenant, headers(), "malformed"),
                new Bad("huge length prefix", hugeLength, headers(), "malformed"),
                new Bad("bytes left over", Arrays.copyOf(GOOD, GOOD.length + 1), headers(), "malformed"),
                new Bad("tenant with a blank", item("a b", START_MILLIS), headers(), "bad-tenant"),
                new Bad("empty tenant", item("", START_MILLIS), headers(), "bad-tenant"),
                new Bad("long tenant", item("t".repeat(129), START_MILLIS), headers(), "bad-tenant"),
                new Bad("bad tenant header", GOOD, headers("spillway-tenant", "a/b"), "bad-tenant"),
                new Bad("empty id", item("acme", "", START_MILLIS, ""), headers(), "bad-id"),
                new Bad("id with a newline", item("acme", "a\nb", START_MILLIS, ""), headers(), "bad-id"),
                new Bad("long id", item("acme", "i".repeat(257), START_MILLIS, ""), headers(), "bad-id"),
                new Bad("bad workload", item("acme", "i", START_MILLIS, "w w"), headers(), "bad-workload"),
                new Bad("time that is no number", GOOD, headers("spillway-enqueued-at", "yesterday"),
                        "bad-enqueued-at"),
                new Bad("10,000 headers", GOOD, many, "too-many-headers"),
                new Bad("too large", new byte[30_000], headers("spillway-tenant", "acme"), "too-large"),
                new Bad("too large by its headers", GOOD, headers("x", "y".repeat(30_000)), "too-large"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bad_records")
    void a_bad_record_becomes_a_dead_letter_with_its_reason_and_the_next_is_routed(Bad bad) {
        try (RouterHarness router = new RouterHarness()) {
            int before = bad.headers.toArray().length;
            router.send(bad.value, bad.headers);

            TestRecord<byte[], byte[]> dead = router.only(Lane.DEAD_LETTER);
            assertThat(dead.value()).isEqualTo(bad.value);
            assertThat(dead.key()).isEqualTo("key".getBytes(StandardCharsets.UTF_8));
            assertThat(dead.headers().toArray()).hasSize(before + 7);
            assertThat(header(dead, "spillway-dead-reason")).isEqualTo(bad.reason);
            assertThat(header(dead, "spillway-dead-detail")).isNotBlank().matches("[ -~]{1,200}");
            assertThat(header(dead, "spillway-dead-stage")).isEqualTo("router");
            assertThat(header(dead, "spillway-dead-at")).isEqualTo(Long.toString(START_MILLIS));
            assertThat(header(dead, "spillway-origin-topic")).isEqualTo("spillway.ingress");
            assertThat(header(dead, "spillway-origin-partition")).isEqualTo("0");
            assertThat(header(dead, "spillway-origin-offset")).isEqualTo("0");
            assertThat(router.count("spillway.dead_lettered", "reason", bad.reason)).isEqualTo(1);

            router.send(GOOD);
            router.only(Lane.HOT);
        }
    }

    @ParameterizedTest(name = "{0} bytes of value, {1} of a header, tenant in the value: {2}")
    @CsvSource({"200000, 0, false", "200000, 0, true", "10, 200000, false", "100000, 60000, true"})
    void a_record_that_is_too_large_even_for_a_dead_letter_is_cut_and_stays_its_tenants(
            int valueBytes, int headerBytes, boolean isWorkItem) {
        try (RouterHarness router = new RouterHarness()) {
            byte[] value = Arrays.copyOf(isWorkItem ? GOOD : new byte[0], valueBytes);
            Headers headers = isWorkItem ? headers() : headers("spillway-tenant", "acme", "spillway-id", "i-1");
            headers.add("x", new byte[headerBytes]);
            router.send(value, headers);

            TestRecord<byte[], byte[]> dead = router.only(Lane.DEAD_LETTER);
            assertThat(header(dead, "spillway-dead-reason")).isEqualTo("too-large");
            assertThat(Long.parseLong(header(dead, "spillway-dead-cut-from"))).isGreaterThan(150_000);
            assertThat(dead.value()).isEqualTo(Arrays.copyOf(value, Math.min(valueBytes, 16 * 1024)));
            assertThat(dead.headers().lastHeader("x")).isNull();
            assertThat(new LedgerOwner().of(dead.key(), dead.value(), dead.headers())).isEqualTo("acme");
            assertThat(header(dead, "spillway-origin-offset")).isEqualTo("0");

            router.send(GOOD);
            router.only(Lane.HOT);
        }
    }

    /** Kafka reads each byte that is not UTF-8 as a character that takes three. */
    @Test
    void a_record_whose_header_has_a_name_that_was_not_utf_8_is_cut() {
        try (RouterHarness router = new RouterHarness()) {
            router.send(GOOD, headers().add("\uFFFD".repeat(60_000), new byte[0]));

            TestRecord<byte[], byte[]> dead = router.only(Lane.DEAD_LETTER);
            assertThat(header(dead, "spillway-dead-reason")).isEqualTo("too-large");
            assertThat(Long.parseLong(header(dead, "spillway-dead-cut-from"))).isGreaterThan(180_000);
        }
    }

    @Test
    void an_item_truncated_at_any_byte_becomes_a_dead_letter() {
        try (RouterHarness router = new RouterHarness()) {
            for (int length = 0; length < GOOD.length; length++) {
                router.send(Arrays.copyOf(GOOD, length));
                assertThat(header(router.only(Lane.DEAD_LETTER), "spillway-dead-reason"))
                        .as("cut off after %d bytes", length)
                        .isEqualTo("malformed");
            }
        }
    }

    @Test
    void an_internal_error_makes_a_dead_letter_and_the_next_record_is_routed() {
        List<Throwable> faults = new ArrayList<>(List.of(
                new IllegalStateException("a bug"), new AssertionError("a bug"), new StackOverflowError(),
                new NoClassDefFoundError("a\nbug"), new NullPointerException()));
        try (RouterHarness router = new RouterHarness(decider -> (record, now) -> {
            if (!faults.isEmpty()) {
                RouterHarnessFaults.throwUnchecked(faults.removeFirst());
            }
            return decider.decide(record, now);
        })) {
            int count = faults.size();
            for (int i = 0; i < count; i++) {
                router.send(GOOD, headers("spillway-attempt", "forged"));
                TestRecord<byte[], byte[]> dead = router.only(Lane.DEAD_LETTER);
                assertThat(header(dead, "spillway-dead-reason")).isEqualTo("router-error");
                assertThat(header(dead, "spillway-attempt")).isNull();
                assertThat(dead.value()).isEqualTo(GOOD);
            }
            router.send(GOOD);
            router.only(Lane.HOT);
        }
    }

    @Test
    void an_out_of_memory_error_makes_no_dead_letter() {
        try (RouterHarness router = new RouterHarness(decider -> (record, now) -> {
            throw new OutOfMemoryError("test");
        })) {
            assertThatThrownBy(() -> router.send(GOOD)).isInstanceOf(OutOfMemoryError.class);
            assertThat(router.take(Lane.DEAD_LETTER)).isEmpty();
        }
    }

    @Test
    void any_record_of_ingress_ends_in_exactly_one_lane_or_is_dropped() {
        long seed = Long.getLong("spillway.test.seed", System.nanoTime());
        Random random = new Random(seed);
        try (RouterHarness router = new RouterHarness()) {
            router.set("acme", io.spillway.core.policy.PolicyField.RATE, "1");
            router.set("old", io.spillway.core.policy.PolicyField.TTL, "1h");
            for (int i = 0; i < 3_000; i++) {
                double droppedBefore = router.dropped();
                byte[] value = Generated.value(random);
                Headers headers = Generated.headers(random);
                byte[] sent = value == null ? null : value.clone();

                router.send(value, headers);

                List<TestRecord<byte[], byte[]>> out = new ArrayList<>();
                RouterHarness.LANES.forEach(lane -> out.addAll(router.take(lane)));
                assertThat(out.size() + router.dropped() - droppedBefore)
                        .as("record %d of seed %d", i, seed)
                        .isEqualTo(1);
                out.forEach(record -> assertThat(record.value()).as("record of seed %d", seed).isEqualTo(sent));
            }
        }
    }
}
