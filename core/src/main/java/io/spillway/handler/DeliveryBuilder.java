package io.spillway.handler;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Builder of {@link Delivery} objects for handler tests, without Kafka and without a worker:
 *
 * <pre>{@code
 * Delivery second = DeliveryBuilder.of("acme", "order-17").payload("{}".getBytes(UTF_8)).attempt(2).build();
 * assertEquals(Outcome.done(), handler.handle(second));
 * }</pre>
 *
 * <p>The defaults describe the first attempt of an empty item from {@code hot}, with a lease that never ends. No
 * argument may be null; values are not checked. Not thread-safe.
 */
public final class DeliveryBuilder {
    private static final Delivery.Lease NEVER_ENDING = new Delivery.Lease() {
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
    private boolean hasKey = true;
    private Optional<Receiver> receiver = Optional.empty();
    private Delivery.Lease lease = NEVER_ENDING;

    private DeliveryBuilder(String tenant, String id) {
        this.tenant = Objects.requireNonNull(tenant, "tenant");
        this.id = Objects.requireNonNull(id, "id");
        this.key = tenant.getBytes(StandardCharsets.UTF_8);
    }

    /** Starts a delivery of the item with this tenant and id. */
    public static DeliveryBuilder of(String tenant, String id) {
        return new DeliveryBuilder(tenant, id);
    }

    /** Sets {@link Delivery#workload}. Default: empty. */
    public DeliveryBuilder workload(String name) {
        workload = Objects.requireNonNull(name, "workload");
        return this;
    }

    /** Sets {@link Delivery#enqueuedAt}. Default: 1970-01-01T00:00:00Z. */
    public DeliveryBuilder enqueuedAt(Instant time) {
        enqueuedAt = Objects.requireNonNull(time, "enqueuedAt");
        return this;
    }

    /** Sets {@link Delivery#attempt}. Default: 1. */
    public DeliveryBuilder attempt(int number) {
        attempt = number;
        return this;
    }

    /** Sets {@link Delivery#lane}. Default: {@code hot}. */
    public DeliveryBuilder lane(String name) {
        lane = Objects.requireNonNull(name, "lane");
        return this;
    }

    /** Sets {@link Delivery#channel}. Default: empty. */
    public DeliveryBuilder channel(String name) {
        channel = Objects.requireNonNull(name, "channel");
        return this;
    }

    /** Sets {@link Delivery#contentType}. Default: {@code application/octet-stream}. */
    public DeliveryBuilder contentType(String mediaType) {
        contentType = Objects.requireNonNull(mediaType, "contentType");
        return this;
    }

    /** Sets {@link Delivery#attributes}. Default: none. */
    public DeliveryBuilder attributes(Map<String, String> all) {
        attributes = Map.copyOf(all);
        return this;
    }

    /** Sets {@link Delivery#payload} and {@link Delivery#value}; not copied. Default: empty. */
    public DeliveryBuilder payload(byte[] bytes) {
        payload = Objects.requireNonNull(bytes, "payload");
        return this;
    }

    /** Sets {@link Delivery#key}; not copied. Default: the tenant. */
    public DeliveryBuilder key(byte[] bytes) {
        key = Objects.requireNonNull(bytes, "key");
        hasKey = true;
        return this;
    }

    /** Removes the key: {@link Delivery#hasKey} is false and {@link Delivery#key} empty. */
    public DeliveryBuilder withoutKey() {
        key = new byte[0];
        hasKey = false;
        return this;
    }

    /** Adds a header. Headers with the same name are all kept. */
    public DeliveryBuilder header(Delivery.Header header) {
        headers.add(Objects.requireNonNull(header, "header"));
        return this;
    }

    /** Adds a header with this text, encoded as UTF-8. */
    public DeliveryBuilder header(String name, String text) {
        return header(new Delivery.Header(name, text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Sets {@link Delivery#receiver}. Default: none. */
    public DeliveryBuilder receiver(Receiver named) {
        receiver = Optional.of(named);
        return this;
    }

    /** Sets {@link Delivery#lease}. Default: a lease that never ends. */
    public DeliveryBuilder lease(Delivery.Lease given) {
        lease = Objects.requireNonNull(given, "lease");
        return this;
    }

    /** Returns the delivery. The builder can be reused. */
    public Delivery build() {
        return new BuiltDelivery(tenant, id, workload, enqueuedAt, attempt, lane, channel, contentType, attributes,
                payload, key, hasKey, payload, List.copyOf(headers), receiver, lease);
    }

    private record BuiltDelivery(
            String tenant, String id, String workload, Instant enqueuedAt, int attempt, String lane, String channel,
            String contentType, Map<String, String> attributes, byte[] payload, byte[] key, boolean hasKey,
            byte[] value, List<Header> headers, Optional<Receiver> receiver, Lease lease) implements Delivery {}
}
