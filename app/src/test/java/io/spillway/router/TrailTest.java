package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.item;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.ItemState;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.TrailCodec;
import io.spillway.kafka.view.TenantPolicies;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;

class TrailTest {
    @Test
    void a_dropped_item_is_on_the_trail_without_its_payload_and_without_headers_from_outside() {
        try (RouterHarness router = RouterHarness.configured(Map.of("topics.trail", "1h"))) {
            router.set("acme", PolicyField.TTL, "1m");
            Headers outside = new RecordHeaders()
                    .add("spillway-attempt", new byte[] {'9'}).add("mine", new byte[] {'x'});
            router.send(item("acme", START_MILLIS - 3_600_000), outside);
            router.send(item("acme", START_MILLIS));

            List<TestRecord<byte[], byte[]>> trail = router.trail();
            assertThat(trail).as("only the one that has finished").hasSize(1);
            assertThat(TrailCodec.End.of(trail.getFirst().value()))
                    .contains(new TrailCodec.End(ItemState.DROPPED, "ttl"));
            Headers headers = trail.getFirst().headers();
            assertThat(text(headers, "spillway-tenant")).isEqualTo("acme");
            assertThat(text(headers, "spillway-id")).isNotBlank();
            assertThat(text(headers, "spillway-enqueued-at")).isEqualTo(Long.toString(START_MILLIS - 3_600_000));
            assertThat(text(headers, "spillway-origin")).isEqualTo("spillway.ingress-0-0");
            assertThat(text(headers, "spillway-attempt")).isEqualTo("0");
            assertThat(headers.lastHeader("mine")).isNull();
        }
    }

    @Test
    void each_move_of_a_tracked_tenants_item_is_on_the_trail_and_of_others_none() {
        try (RouterHarness router = RouterHarness.configured(Map.of("topics.trail", "1h"))) {
            router.set("acme", PolicyField.TRACKED, "true");
            router.send(item("bolt", START_MILLIS));
            router.send(item("acme", START_MILLIS));
            router.send(item("acme", START_MILLIS - 3_600_000));
            router.send(item("acme", START_MILLIS),
                    RouterHarness.headers(ItemHeaders.DELIVER_AT, Long.toString(START_MILLIS + 60_000)));
            router.advance(Duration.ofMinutes(1));
            router.send(item("acme", START_MILLIS), RouterHarness.headers(ItemHeaders.ORDER_KEY, "ä"));

            assertThat(router.trail()).extracting(record -> new String(record.value(), StandardCharsets.US_ASCII))
                    .containsExactly("hot fresh", "aged age", "delay scheduled", "hot due",
                            "dead-letter bad-order-key");
        }
    }

    @Test
    void of_a_tracked_item_whose_id_counts_once_only_the_first_is_told_to_wait() {
        try (RouterHarness router = RouterHarness.configured(Map.of("topics.trail", "1h"))) {
            router.set("acme", PolicyField.TRACKED, "true");
            for (String id : List.of("a", "b", "a")) {
                router.send(item("acme", START_MILLIS), RouterHarness.headers(
                        ItemHeaders.ID, id, ItemHeaders.DEDUPE, "true", ItemHeaders.ORDER_KEY, "k"));
            }

            assertThat(router.trail()).extracting(record -> text(record.headers(), "spillway-id") + " "
                            + new String(record.value(), StandardCharsets.US_ASCII))
                    .containsExactly("a hot fresh", "b delay order", "a dropped duplicate");
        }
    }

    @Test
    void a_second_item_with_an_id_that_counts_once_is_a_duplicate_also_when_it_is_too_old() {
        try (RouterHarness router = RouterHarness.configured(Map.of("topics.trail", "1h"))) {
            router.policies.put("acme", TenantPolicies.encode("acme", PolicySettings.NONE_SET
                    .with(PolicyField.TRACKED, "true").with(PolicyField.TTL, "1m")));
            router.send(item("acme", START_MILLIS), once());
            router.advance(Duration.ofMinutes(2));
            router.send(item("acme", START_MILLIS), once());

            assertThat(values(router)).containsExactly("hot fresh", "dropped duplicate");
        }
    }

    @Test
    void an_item_whose_id_counts_once_is_told_to_be_scheduled_as_one_that_may_be_a_duplicate() {
        try (RouterHarness router = RouterHarness.configured(Map.of("topics.trail", "1h"))) {
            router.set("acme", PolicyField.TRACKED, "true");
            router.send(item("acme", START_MILLIS), once());
            router.send(item("acme", START_MILLIS),
                    once().add(ItemHeaders.DELIVER_AT, Long.toString(START_MILLIS + 60_000).getBytes()));
            router.advance(Duration.ofMinutes(1));

            List<TestRecord<byte[], byte[]>> trail = router.trail();
            assertThat(trail).extracting(record -> new String(record.value(), StandardCharsets.US_ASCII)
                            + (record.headers().lastHeader(ItemHeaders.DEDUPE) == null ? "" : "?"))
                    .containsExactly("hot fresh", "delay scheduled?", "dropped duplicate");
        }
    }

    @Test
    void without_the_setting_there_is_no_topic_of_the_trail() {
        try (RouterHarness router = RouterHarness.configured(Map.of())) {
            assertThat(router.topics.keepsTrail()).isFalse();
            assertThat(router.topics.all()).noneMatch(topic -> topic.name().equals("spillway.trail"));
        }
        try (RouterHarness router = RouterHarness.configured(Map.of("topics.trail", "2h"))) {
            assertThat(router.topics.all()).filteredOn(topic -> topic.name().equals("spillway.trail"))
                    .singleElement().satisfies(topic -> {
                        assertThat(topic.partitions()).isEqualTo(1);
                        assertThat(topic.configs())
                                .containsEntry("retention.ms", "7200000")
                                .containsEntry("retention.bytes", "268435456")
                                .containsEntry("message.timestamp.type", "LogAppendTime");
                    });
        }
    }

    private static Headers once() {
        return RouterHarness.headers(ItemHeaders.ID, "a", ItemHeaders.DEDUPE, "true");
    }

    private static List<String> values(RouterHarness router) {
        return router.trail().stream().map(record -> new String(record.value(), StandardCharsets.US_ASCII)).toList();
    }

    private static String text(Headers headers, String name) {
        return new String(headers.lastHeader(name).value(), StandardCharsets.UTF_8);
    }
}
