package io.spillway.kafka.codec;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/**
 * A whole item.
 *
 * @param tenant           whose it is
 * @param id               the producer's idempotency key, or where the item entered
 * @param enqueuedAtMillis when it was made, epoch milliseconds
 * @param workload         a part of the tenant's work, or empty
 * @param channel          where it came in, or empty
 * @param contentType      media type of the payload
 * @param attributes       whatever else the handler needs; unmodifiable
 * @param payload          the work itself
 */
public record ItemDetails(
        String tenant,
        String id,
        long enqueuedAtMillis,
        String workload,
        String channel,
        String contentType,
        Map<String, String> attributes,
        byte[] payload) {

    /** Returns the text of the last header with this name; empty if there is none or it has no value. */
    static Optional<String> text(Headers headers, String name) {
        Header header = headers.lastHeader(name);
        return header == null || header.value() == null
                ? Optional.empty()
                : Optional.of(new String(header.value(), StandardCharsets.UTF_8));
    }
}
