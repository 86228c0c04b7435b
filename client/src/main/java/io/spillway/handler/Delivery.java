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
 * <p>Safe for any number of threads. The byte arrays are shared with the worker and not copied: do not change them. A
 * delivery may be used after the call has returned, except for its {@link #lease}.
 *
 * <p>Only Spillway implements this interface; later versions may add methods. Use {@link DeliveryBuilder} in tests.
 */
public interface Delivery {
    /** Returns the tenant that the item belongs to: 1 to 128 characters of {@code A-Z a-z 0-9 . _ -}. */
    String tenant();

    /**
     * Returns the item's id, which is the same in each attempt, lane and replay: the idempotency key.
     *
     * @return the producer's id, 1 to 256 printable ASCII characters, or {@code topic-partition-offset} of the record
     *         in ingress if the producer set none. Producers may use one id for several items
     */
    String id();

    /**
     * Returns the part of the tenant's work that the item belongs to, with the characters of a tenant; empty if none.
     */
    String workload();

    /** Returns when the producer made the item, by the producer's clock: it may be in the future or absurdly old. */
    Instant enqueuedAt();

    /**
     * Returns the number of this attempt: 1 for the first. Attempts that the worker took back (at a stop, or when it
     * lost the partition) are not counted, so several calls may have the same number. A replayed dead letter starts at
     * 1 again.
     */
    int attempt();

    /** Returns the lane that the item was read from: {@code hot}, {@code overflow} or {@code aged}. */
    String lane();

    /** Returns where the item came in, as the producer named it; empty if it did not. */
    String channel();

    /**
     * Returns the media type of the payload, as the producer wrote it; {@code application/octet-stream} if it did not.
     */
    String contentType();

    /** Returns the producer's attributes; empty if it set none. Unmodifiable. */
    Map<String, String> attributes();

    /**
     * Returns the work itself: the payload of a {@code WorkItem}, or else the whole value of the record. May be empty.
     */
    byte[] payload();

    /** Returns the key of the Kafka record; empty if it has none. */
    byte[] key();

    /**
     * Returns the value of the Kafka record, byte for byte as it was produced: the encoded item, or the payload itself.
     */
    byte[] value();

    /**
     * Returns the headers of the Kafka record in their order: the producer's, and those that Spillway added on the way,
     * such as {@code spillway-origin}. One name may occur several times. Unmodifiable.
     */
    List<Header> headers();

    /**
     * Returns the text of a header, decoded as UTF-8.
     *
     * @param name case-sensitive, not null
     * @return of the last header with this name; empty if there is none or it has no value
     */
    default Optional<String> header(String name) {
        return headers().stream()
                .filter(header -> header.name().equals(name))
                .reduce((earlier, later) -> later)
                .flatMap(Header::text);
    }

    /** Returns the W3C trace context that came with the item (header {@code traceparent}), unchecked. */
    default Optional<String> traceparent() {
        return header("traceparent");
    }

    /** Returns the vendors' part of the W3C trace context (header {@code tracestate}), unchecked. */
    default Optional<String> tracestate() {
        return header("tracestate");
    }

    /** Returns the lease of this attempt: how long it may take. */
    Lease lease();

    /**
     * One header of a Kafka record.
     *
     * @param name  not null
     * @param value shared, do not change it; null if the header has no value
     */
    record Header(String name, byte[] value) {
        /** Returns the value decoded as UTF-8; empty if the header has none. */
        public Optional<String> text() {
            return value == null ? Optional.empty() : Optional.of(new String(value, StandardCharsets.UTF_8));
        }
    }

    /**
     * Time limit of one attempt: at first the tenant's {@code timeout}. When it ends, the worker interrupts the thread
     * of the call. Safe for any number of threads.
     */
    interface Lease {
        /** Returns when the lease ends, by the worker's clock. */
        Instant endsAt();

        /**
         * Extends the lease. Renewing never shortens it, and not beyond {@code worker.leaseMax} after the start of the
         * attempt.
         *
         * @param time counted from now, not null
         * @return when the lease ends now, which may be earlier than asked for
         * @throws IllegalStateException if the attempt is over or was interrupted
         */
        Instant renew(Duration time);
    }
}
