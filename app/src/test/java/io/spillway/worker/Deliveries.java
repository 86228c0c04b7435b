package io.spillway.worker;

import io.spillway.policy.Lane;
import io.spillway.topic.ItemDetails;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** Deliveries for handlers that are tested on their own. */
final class Deliveries {
    static final Instant ENQUEUED = Instant.ofEpochMilli(1_785_000_000_123L);
    private static final Delivery.Lease LEASE = new Delivery.Lease() {
        @Override
        public Instant endsAt() {
            return Instant.MAX;
        }

        @Override
        public Instant renew(Duration time) {
            return Instant.MAX;
        }
    };

    private Deliveries() {}

    /** The third attempt of an item. */
    static Delivery of(String contentType, byte[] payload, Headers headers) {
        ItemDetails item = new ItemDetails(
                "acme", "order-17", ENQUEUED.toEpochMilli(), "mails", "", contentType, Map.of(), payload);
        return Delivery.of(item, 3, Lane.HOT, bytes("key"), payload, headers, LEASE);
    }

    static Delivery of(String payload) {
        return of("text/plain", bytes(payload), new RecordHeaders());
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
