package io.spillway.kafka.codec;

import io.spillway.core.routing.Route;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Headers;

/** Headers that record why and where a dead letter was created. The value and the producer's headers stay unchanged. */
public final class DeadLetterHeaders {
    private DeadLetterHeaders() {}

    /**
     * Adds the headers.
     *
     * @param headers  of the record, without any of these
     * @param route    reason and detail
     * @param stage    component that detected the problem, such as {@code router}
     * @param atMillis current time, epoch milliseconds
     * @param topic    topic that the record was read from
     */
    public static void add(
            Headers headers, Route.DeadLetter route, String stage, long atMillis, String topic, int partition,
            long offset) {
        add(headers, ItemHeaders.DEAD_REASON, route.reason().label());
        add(headers, ItemHeaders.DEAD_DETAIL, route.detail());
        add(headers, ItemHeaders.DEAD_STAGE, stage);
        add(headers, ItemHeaders.DEAD_AT, Long.toString(atMillis));
        add(headers, ItemHeaders.ORIGIN_TOPIC, topic);
        add(headers, ItemHeaders.ORIGIN_PARTITION, Integer.toString(partition));
        add(headers, ItemHeaders.ORIGIN_OFFSET, Long.toString(offset));
    }

    private static void add(Headers headers, String name, String value) {
        headers.add(name, value.getBytes(StandardCharsets.UTF_8));
    }
}
