package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.header;
import static io.spillway.router.RouterHarness.headers;
import static io.spillway.router.RouterHarness.item;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import java.util.Map;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;

/** Bytes of headers that an item may have, at the default size of a record. */
class HeaderBytesTest {
    private static final Map<String, String> DEFAULT_SIZE = Map.of("topics.maxBytes", "1114112");
    private static final byte[] GOOD = item("acme", START_MILLIS);
    /** The name of the header of {@link #headersOf}. */
    private static final int NAME_BYTES = 1;

    @Test
    void by_default_64_KiB_of_headers_are_routed_and_one_byte_more_is_a_dead_letter() {
        try (RouterHarness router = RouterHarness.configured(DEFAULT_SIZE)) {
            router.send(GOOD, headersOf(65_536));
            router.only(Lane.HOT);

            router.send(GOOD, headersOf(65_537));
            TestRecord<byte[], byte[]> dead = router.only(Lane.DEAD_LETTER);
            assertThat(header(dead, "spillway-dead-reason")).isEqualTo("too-large");
            assertThat(header(dead, "spillway-dead-detail"))
                    .isEqualTo("65537 bytes of headers; at most 65536 (router.maxHeaderBytes)");
            assertThat(header(dead, "x")).as("the dead letter keeps them").hasSize(65_536);
        }
    }

    @Test
    void names_count_in_the_bytes_that_they_take_in_the_record() {
        try (RouterHarness router = RouterHarness.configured(DEFAULT_SIZE)) {
            router.send(GOOD, headers("\u20ac".repeat(30_000), ""));
            assertThat(header(router.only(Lane.DEAD_LETTER), "spillway-dead-detail")).startsWith("90000 bytes");
        }
    }

    @Test
    void a_delayed_item_may_have_the_headers_of_ingress_and_those_that_spillway_adds() {
        Map<String, String> small = Map.of("topics.maxBytes", "1114112", "router.maxHeaderBytes", "1024");
        try (RouterHarness router = RouterHarness.configured(small)) {
            router.sendDelayed(GOOD, delayed(1_024));
            router.only(Lane.HOT);

            router.sendDelayed(GOOD, delayed(1_024 + 64 * 1024));
            assertThat(header(router.only(Lane.DEAD_LETTER), "spillway-dead-reason")).isEqualTo("too-large");
        }
    }

    @Test
    void the_bound_is_the_configured_one() {
        try (RouterHarness router = RouterHarness.configured(Map.of("router.maxHeaderBytes", "1024"))) {
            router.send(GOOD, headersOf(1_024));
            router.only(Lane.HOT);
            router.send(GOOD, headersOf(1_025));
            router.only(Lane.DEAD_LETTER);
        }
    }

    private static Headers headersOf(int bytes) {
        return headers("x", "y".repeat(bytes - NAME_BYTES));
    }

    private static Headers delayed(int bytes) {
        Headers headers = headersOf(bytes);
        headers("spillway-due", Long.toString(START_MILLIS), "spillway-attempt", "1").forEach(headers::add);
        return headers;
    }
}
