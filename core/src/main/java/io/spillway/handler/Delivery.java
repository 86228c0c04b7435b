package io.spillway.handler;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One attempt of one item, as its handler receives it. No method returns null.
 *
 * <p>Thread-safe. The byte arrays are shared with the worker and not copied: do not modify them. A delivery may be used
 * after the call has returned, except for its {@link #lease}.
 *
 * <p>Only Spillway implements this interface; later versions may add methods. Use {@link DeliveryBuilder} in tests.
 */
public interface Delivery {
    /** Returns the tenant of the item: 1 to 128 printable ASCII characters, without space and {@code !"'()*,/<>\`}. */
    String tenant();

    /**
     * Returns the item's id, the idempotency key. It is the same in each attempt, lane and replay.
     *
     * @return the producer's id, 1 to 256 printable ASCII characters; or, if the producer set none,
     *         {@code topic-partition-offset} of the record in ingress. A producer may reuse an id
     */
    String id();

    /**
     * Returns the named part of the tenant's work, in the same characters as a tenant; empty if not set. That of a
     * delivery to a subscription is a tilde and the subscription's name.
     */
    String workload();

    /** Returns the workload of the item of which this is a delivery to a subscription; empty for any other item. */
    default String parentWorkload() {
        return header("spillway-parent-workload").orElse("");
    }

    /** Returns the key by which the items of its tenant are handled one at a time; empty if it has none. */
    default Optional<String> orderKey() {
        return header("spillway-order-key");
    }

    /**
     * Returns when the producer created the item, by the producer's clock. It may be in the future or far in the past.
     */
    Instant enqueuedAt();

    /**
     * Returns the number of this attempt, starting at 1. Attempts that the worker cancelled (at a stop, or when it lost
     * the partition) are not counted, so several calls may have the same number. A replayed dead letter starts again at
     * 1.
     */
    int attempt();

    /** Returns the lane of the item: {@code hot}, {@code overflow} or {@code aged}. */
    String lane();

    /** Returns the channel through which the item arrived, as named by the producer; empty if not set. */
    String channel();

    /** Returns the media type of the payload, as set by the producer; default {@code application/octet-stream}. */
    String contentType();

    /** Returns the producer's attributes; empty if it set none. Unmodifiable. */
    Map<String, String> attributes();

    /** Returns the payload of a {@code WorkItem}; for other formats, the whole record value. May be empty. */
    byte[] payload();

    /** Returns the key of the Kafka record; empty if it has none, see {@link #hasKey}. */
    byte[] key();

    /** Returns whether the Kafka record has a key, which may be empty. */
    default boolean hasKey() {
        return key().length > 0;
    }

    /** Returns the value of the Kafka record as it was produced: the encoded item, or the payload itself. */
    byte[] value();

    /**
     * Returns the headers of the Kafka record in order: those of the producer, and those added by Spillway, such as
     * {@code spillway-origin}. A name may occur several times. If the worker makes spans, the trace context is that of
     * this attempt. Unmodifiable.
     */
    List<Header> headers();

    /**
     * Returns the value of the last header with this name, decoded as UTF-8.
     *
     * @param name case-sensitive, not null
     * @return empty if there is no such header, or the last one has no value
     */
    default Optional<String> header(String name) {
        return headers().stream()
                .filter(header -> header.name().equals(name))
                .reduce((earlier, later) -> later)
                .flatMap(Header::text);
    }

    /**
     * Returns the W3C trace context of this attempt if the worker makes spans. Otherwise returns that of the item
     * (header {@code traceparent}), not validated.
     */
    default Optional<String> traceparent() {
        return header("traceparent");
    }

    /** Returns the vendor-specific part of the trace context (header {@code tracestate}), as {@link #traceparent}. */
    default Optional<String> tracestate() {
        return header("tracestate");
    }

    /**
     * Returns where the item's record is now, for logs: {@code topic-partition-offset} in its lane, and after an at
     * sign a number that differs for each time that the worker took over the partition. Empty outside of a worker.
     */
    default String position() {
        return "";
    }

    /** Returns the receiver that the policy of the tenant or the subscription names; empty if it names none. */
    default Optional<Receiver> receiver() {
        return Optional.empty();
    }

    /** Returns the lease of this attempt, which limits how long it may take. */
    Lease lease();

    /**
     * Header of a Kafka record.
     *
     * @param name  not null
     * @param value shared, do not modify it; null if the header has no value
     */
    record Header(String name, byte[] value) {
        /** Returns the value decoded as UTF-8; empty if the header has none. */
        public Optional<String> text() {
            return value == null ? Optional.empty() : Optional.of(new String(value, StandardCharsets.UTF_8));
        }
    }

    /**
     * Time limit of one attempt, initially the tenant's {@code timeout}. When it ends, the worker interrupts the thread
     * of the call. Thread-safe.
     */
    interface Lease {
        /** Returns when the lease ends, by the worker's clock. */
        Instant endsAt();

        /**
         * Extends the lease, to at most {@code worker.leaseMax} after the start of the attempt. Never shortens it.
         *
         * @param time counted from now, not null
         * @return the new end of the lease, possibly earlier than requested
         * @throws IllegalStateException if the attempt is over or was interrupted
         */
        Instant renew(Duration time);
    }
}
