package io.spillway.worker;

import io.spillway.policy.Lane;
import io.spillway.topic.ItemDetails;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.apache.kafka.common.header.Headers;

/**
 * One attempt of one item, as its handler sees it. The payload and the headers are shared with the worker: read them,
 * do not change them.
 *
 * @param item    the item
 * @param attempt which attempt this is, 1 or more
 * @param lane    the lane it was taken from
 * @param key     of the record, possibly empty
 * @param value   of the record, byte for byte as it was produced
 * @param headers of the record, ours among them
 * @param lease   how long the attempt may take
 */
public record Delivery(
        ItemDetails item, int attempt, Lane lane, byte[] key, byte[] value, Headers headers, Lease lease) {

    /** Whose item it is. */
    public String tenant() {
        return item.tenant();
    }

    /** The producer's idempotency key; the same in every attempt, lane and replay. */
    public String id() {
        return item.id();
    }

    /** A part of the tenant's work, or empty. */
    public String workload() {
        return item.workload();
    }

    /** When the item was made. */
    public Instant enqueuedAt() {
        return Instant.ofEpochMilli(item.enqueuedAtMillis());
    }

    /** The W3C trace context that came with the item. */
    public Optional<String> traceparent() {
        return item.header(headers, "traceparent");
    }

    /** The vendors' part of the trace context. */
    public Optional<String> tracestate() {
        return item.header(headers, "tracestate");
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
