package io.spillway.kafka.codec;

import java.util.Map;

/**
 * Complete item, decoded for its handler.
 *
 * @param id               the producer's idempotency key, or the item's position in ingress
 * @param enqueuedAtMillis when the producer created it, epoch milliseconds
 * @param workload         named part of the tenant's work; empty if none
 * @param channel          channel through which it arrived; empty if none
 * @param contentType      media type of the payload
 * @param attributes       the producer's attributes; unmodifiable
 * @param payload          not copied
 */
public record ItemDetails(
        String tenant, String id, long enqueuedAtMillis, String workload, String channel, String contentType,
        Map<String, String> attributes, byte[] payload) {}
