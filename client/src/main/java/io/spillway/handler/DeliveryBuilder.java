package io.spillway.handler;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Builder of deliveries for the tests of a handler, without Kafka and without a worker:
 *
 * <pre>{@code
 * Delivery second = DeliveryBuilder.of("acme", "order-17").payload("{}".getBytes(UTF_8)).attempt(2).build();
 * assertEquals(Outcome.done(), handler.handle(second));
 * }</pre>
 *
 * <p>What is not set is as in the first attempt of a small item from hot, with a lease that never ends. No argument may
 * be null. Values are not checked. For one thread.
 */
public final class DeliveryBuilder {
    private static final Delivery.Lease ENDLESS = new Delivery.Lease() {
        @Override
        public Instant endsAt() {
            return Instant.MAX;
        }

        @Override
        public Instant renew(Duration time) {
            return Instant.MAX;
        }
    };

    private final String tenant;
    private final String id;
    private final List<Delivery.Header> headers = new ArrayList<>();
    private String workload = "";
    private Instant enqueuedAt = Instant.EPOCH;
    private int attempt = 1;
    private String lane = "hot";
    private String channel = "";
    private String contentType = "application/octet-stream";
    private Map<String, String> attributes = Map.of();
    private byte[] payload = {};
    private byte[] key;
    private Delivery.Lease lease = ENDLESS;

    private DeliveryBuilder(String tenant, String id) {
        this.tenant = Objects.requireNonNull(tenant, "tenant");
        this.id = Objects.requireNonNull(id, "id");
        this.key = tenant.getBytes(StandardCharsets.UTF_8);
    }

    /** Starts a delivery of the item with this id. */
    public static DeliveryBuilder of(String tenant, String id) {
        return new DeliveryBuilder(tenant, id);
    }

    /** Sets {@link Delivery#workload}; empty if not set. */
    public DeliveryBuilder workload(String name) {
        workload = Objects.requireNonNull(name, "workload");
        return this;
    }

    /** Sets {@link Delivery#enqueuedAt}; 1970-01-01 if not set. */
    public DeliveryBuilder enqueuedAt(Instant time) {
        enqueuedAt = Objects.requireNonNull(time, "enqueuedAt");
        return this;
    }

    /** Sets {@link Delivery#attempt}; 1 if not set. */
    public DeliveryBuilder attempt(int number) {
        attempt = number;
        return this;
    }

    /** Sets {@link Delivery#lane}; {@code hot} if not set. */
    public DeliveryBuilder lane(String name) {
        lane = Objects.requireNonNull(name, "lane");
        return this;
    }

    /** Sets {@link Delivery#channel}; empty if not set. */
    public DeliveryBuilder channel(String name) {
        channel = Objects.requireNonNull(name, "channel");
        return this;
    }

    /** Sets {@link Delivery#contentType}; {@code application/octet-stream} if not set. */
    public DeliveryBuilder contentType(String mediaType) {
        contentType = Objects.requireNonNull(mediaType, "contentType");
        return this;
    }

    /** Sets {@link Delivery#attributes}; none if not set. */
    public DeliveryBuilder attributes(Map<String, String> all) {
        attributes = Map.copyOf(all);
        return this;
    }

    /** Sets {@link Delivery#payload} and {@link Delivery#value}; empty if not set. */
    public DeliveryBuilder payload(byte[] bytes) {
        payload = Objects.requireNonNull(bytes, "payload");
        return this;
    }

    /** Sets {@link Delivery#key}; the tenant if not set. */
    public DeliveryBuilder key(byte[] bytes) {
        key = Objects.requireNonNull(bytes, "key");
        return this;
    }

    /** Adds a header; several with one name are kept. */
    public DeliveryBuilder header(Delivery.Header header) {
        headers.add(Objects.requireNonNull(header, "header"));
        return this;
    }

    /** Adds a header with this text in UTF-8. */
    public DeliveryBuilder header(String name, String text) {
        return header(new Delivery.Header(name, text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Sets {@link Delivery#lease}; one that never ends if not set. */
    public DeliveryBuilder lease(Delivery.Lease given) {
        lease = Objects.requireNonNull(given, "lease");
        return this;
    }

    /** Returns the delivery; the builder may be used again. */
    public Delivery build() {
        return new BuiltDelivery(tenant, id, workload, enqueuedAt, attempt, lane, channel, contentType, attributes,
                payload, key, payload, List.copyOf(headers), lease);
    }

    private record BuiltDelivery(
            String tenant,
            String id,
            String workload,
            Instant enqueuedAt,
            int attempt,
            String lane,
            String channel,
            String contentType,
            Map<String, String> attributes,
            byte[] payload,
            byte[] key,
            byte[] value,
            List<Header> headers,
            Lease lease) implements Delivery {}
}
