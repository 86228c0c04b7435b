package io.spillway.worker;

import io.spillway.handler.Delivery;
import io.spillway.handler.DeliveryBuilder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** Deliveries for tests of handlers. */
public final class Deliveries {
    public static final Instant ENQUEUED = Instant.ofEpochMilli(1_785_000_000_123L);

    private Deliveries() {}

    /** Returns the third attempt of an item. */
    public static Delivery of(String contentType, byte[] payload, Headers headers) {
        return builder(contentType, payload, headers).build();
    }

    public static Delivery of(String payload) {
        return of("text/plain", bytes(payload), new RecordHeaders());
    }

    public static Delivery withoutKey(byte[] payload) {
        return builder("text/plain", payload, new RecordHeaders()).withoutKey().build();
    }

    private static DeliveryBuilder builder(String contentType, byte[] payload, Headers headers) {
        DeliveryBuilder builder = DeliveryBuilder.of("acme", "order-17")
                .enqueuedAt(ENQUEUED).workload("mails").contentType(contentType).payload(payload)
                .attempt(3).key(bytes("key"));
        headers.forEach(header -> builder.header(new Delivery.Header(header.key(), header.value())));
        return builder;
    }

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
