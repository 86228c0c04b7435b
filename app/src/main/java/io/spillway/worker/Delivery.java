package io.spillway.worker;

import io.spillway.policy.Lane;
import io.spillway.topic.ItemDecoder;
import io.spillway.topic.ItemDetails;
import io.spillway.topic.ItemReading;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;

/**
 * One attempt of one item, as its handler sees it. The payload and the headers are shared with the worker: read them,
 * do not change them. What it is routed by is at hand; the rest is decoded when it is first asked for. Safe for any
 * number of threads.
 */
public final class Delivery {
    private static final ItemDecoder DECODER = new ItemDecoder();
    private static final byte[] NO_KEY = {};

    private final ItemReading.Item read;
    /** Few handlers ask. */
    private final Supplier<String> origin;
    private final int attempt;
    private final Lane lane;
    private final byte[] key;
    private final byte[] value;
    private final Headers headers;
    private final Lease lease;
    /** Of several threads that ask at once each may decode, and all find the same. */
    private volatile ItemDetails details;

    private Delivery(
            ItemReading.Item read,
            Supplier<String> origin,
            int attempt,
            Lane lane,
            byte[] key,
            byte[] value,
            Headers headers,
            Lease lease) {
        this.read = read;
        this.origin = origin;
        this.attempt = attempt;
        this.lane = lane;
        this.key = key == null ? NO_KEY : key;
        this.value = value;
        this.headers = headers;
        this.lease = lease;
    }

    static Delivery of(LaneItem item, Lease lease) {
        ConsumerRecord<byte[], byte[]> record = item.record();
        return new Delivery(item.read(), item::origin, item.attempts() + 1, item.lane(),
                record.key(), record.value(), record.headers(), lease);
    }

    /**
     * A delivery made by hand, to test a handler with.
     *
     * @param item    the item, not null
     * @param attempt which attempt, 1 or more
     * @param lane    the lane it comes from, not null
     * @param key     of the record, not null
     * @param value   of the record, not null
     * @param headers of the record, not null
     * @param lease   not null
     */
    public static Delivery of(
            ItemDetails item, int attempt, Lane lane, byte[] key, byte[] value, Headers headers, Lease lease) {
        ItemReading.Item read = new ItemReading.Item(item.tenant(), item.enqueuedAtMillis(), item.workload(), false);
        Delivery delivery = new Delivery(read, item::id, attempt, lane, key, value, headers, lease);
        delivery.details = item;
        return delivery;
    }

    /** The whole item. */
    public ItemDetails item() {
        ItemDetails known = details;
        if (known == null) {
            known = DECODER.decode(read, value, headers, origin.get());
            details = known;
        }
        return known;
    }

    /** Whose item it is. */
    public String tenant() {
        return read.tenant();
    }

    /** The producer's idempotency key; the same in every attempt, lane and replay. */
    public String id() {
        ItemDetails known = details;
        return known == null ? DECODER.id(read, value, headers, origin.get()) : known.id();
    }

    /** A part of the tenant's work, or empty. */
    public String workload() {
        return read.workload();
    }

    /** When the item was made. */
    public Instant enqueuedAt() {
        return Instant.ofEpochMilli(read.enqueuedAtMillis());
    }

    /** Which attempt this is, 1 or more. */
    public int attempt() {
        return attempt;
    }

    /** The lane it was taken from. */
    public Lane lane() {
        return lane;
    }

    /** The key of the record, possibly empty. */
    public byte[] key() {
        return key;
    }

    /** The value of the record, byte for byte as it was produced. */
    public byte[] value() {
        return value;
    }

    /** The headers of the record, ours among them. */
    public Headers headers() {
        return headers;
    }

    /** How long the attempt may take. */
    public Lease lease() {
        return lease;
    }

    /** The W3C trace context that came with the item. */
    public Optional<String> traceparent() {
        return item().header(headers, "traceparent");
    }

    /** The vendors' part of the trace context. */
    public Optional<String> tracestate() {
        return item().header(headers, "tracestate");
    }

    /** The time an attempt has. */
    public interface Lease {
        /** When it ends. */
        Instant endsAt();

        /**
         * Asks for more time, counted from now.
         *
         * @return when it ends now: earlier than asked for where {@code worker.leaseMax} is reached
         * @throws IllegalStateException when it has ended already
         */
        Instant renew(Duration time);
    }
}
