package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.header;
import static io.spillway.router.RouterHarness.headers;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.kafka.codec.ItemHeaders;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Items whose ids count once: which are dropped as duplicates. */
class DuplicatesTest {
    private final RouterHarness router = new RouterHarness();

    @AfterEach
    void close() {
        router.close();
    }

    @Test
    void the_second_item_of_a_tenant_and_id_is_dropped() {
        send("acme", "a");
        send("acme", "a");
        send("acme", "b");
        send("bolt", "a");
        assertThat(started()).containsExactly("a", "b", "a");
        assertThat(router.count("spillway.dropped", "reason", "duplicate")).isEqualTo(1);
    }

    @Test
    void an_item_that_does_not_ask_for_it_is_neither_dropped_nor_remembered() {
        for (String dedupe : List.of("false", "", "yes")) {
            router.send(RouterHarness.item("acme", START_MILLIS),
                    headers(ItemHeaders.ID, "a", ItemHeaders.DEDUPE, dedupe));
        }
        send("acme", "a");
        assertThat(started()).containsExactly("a", "a", "a", "a");
    }

    @Test
    void the_id_in_the_value_counts_as_the_one_in_a_header() {
        router.send(RouterHarness.item("acme", "a", START_MILLIS, ""), headers(ItemHeaders.DEDUPE, "true"));
        send("acme", "a");
        assertThat(router.take(Lane.HOT)).hasSize(1);
    }

    @Test
    void an_id_is_forgotten_after_the_window_of_its_tenant() {
        router.set("acme", PolicyField.DEDUPE_WINDOW, "1h");
        send("acme", "a");
        router.advance(Duration.ofMinutes(59));
        send("acme", "a");
        assertThat(started()).containsExactly("a");
        router.advance(Duration.ofMinutes(2));
        router.enteredAtMillis = router.nowMillis();
        sendAt(router.nowMillis(), "acme", "a");
        sendAt(router.nowMillis(), "acme", "a");
        assertThat(started()).containsExactly("a");
        assertThat(router.count("spillway.dropped", "reason", "duplicate")).isEqualTo(2);
    }

    @Test
    void nothing_is_left_in_the_store_after_the_window() {
        for (int i = 0; i < 2_500; i++) {
            send("acme", "a" + i);
        }
        for (int i = 0; i < 10; i++) {
            router.advance(Duration.ofHours(3));
            router.advance(Duration.ofSeconds(10));
        }
        try (var all = router.timers().all()) {
            assertThat(all.hasNext()).isFalse();
        }
    }

    @Test
    void a_tenant_may_turn_it_off() {
        router.set("acme", PolicyField.DEDUPE_WINDOW, "0s");
        send("acme", "a");
        send("acme", "a");
        assertThat(started()).containsExactly("a", "a");
    }

    @Test
    void another_process_knows_the_ids() {
        send("acme", "a");
        started();
        router.restart();
        send("acme", "a");
        assertThat(started()).isEmpty();
    }

    @Test
    void a_dead_letter_that_is_replayed_is_no_duplicate_of_itself() {
        send("acme", "a");
        TestRecord<byte[], byte[]> item = router.only(Lane.HOT);
        RecordHeaders replayed = new RecordHeaders(item.headers());
        replayed.remove(ItemHeaders.LANE_REASON);
        ItemHeaders.set(replayed, ItemHeaders.REPLAYED_AT, Long.toString(START_MILLIS));
        ItemHeaders.set(replayed, ItemHeaders.DUE, Long.toString(START_MILLIS));
        router.sendDelayed(item.value(), replayed);
        assertThat(started()).containsExactly("a");
    }

    @Test
    void ids_count_once_for_each_order_key() {
        for (String key : List.of("user-1", "user-1", "user-2")) {
            router.send(RouterHarness.item("acme", START_MILLIS), headers(
                    ItemHeaders.ID, "a", ItemHeaders.DEDUPE, "true", ItemHeaders.ORDER_KEY, key));
        }
        assertThat(started()).containsExactly("a", "a");
    }

    @Test
    void an_item_without_an_id_is_a_dead_letter() {
        router.send(RouterHarness.item("acme", START_MILLIS), headers(ItemHeaders.TENANT, "acme", ItemHeaders.DEDUPE,
                "true"));
        router.take(Lane.HOT);
        router.send(new byte[] {1}, headers(ItemHeaders.TENANT, "acme", ItemHeaders.DEDUPE, "true"));
        TestRecord<byte[], byte[]> dead = router.only(Lane.DEAD_LETTER);
        assertThat(header(dead, ItemHeaders.DEAD_REASON)).isEqualTo("bad-id");
        assertThat(header(dead, ItemHeaders.DEAD_DETAIL)).contains("needs an id");
    }

    private void send(String tenant, String id) {
        sendAt(START_MILLIS, tenant, id);
    }

    private void sendAt(long enqueuedAtMillis, String tenant, String id) {
        router.send(RouterHarness.item(tenant, enqueuedAtMillis),
                headers(ItemHeaders.ID, id, ItemHeaders.DEDUPE, "true"));
    }

    private List<String> started() {
        return router.take(Lane.HOT).stream().map(record -> header(record, ItemHeaders.ID)).toList();
    }
}
