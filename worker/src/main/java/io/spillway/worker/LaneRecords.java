package io.spillway.worker;

import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.DeadLetterHeaders;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.topics.Topics;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Writes the records by which items leave a lane: key, value and timestamp as they are, headers brought up to date. An
 * item keeps the number of its partition, so that a tenant stays within its shard in every lane.
 */
final class LaneRecords {
    static final String STAGE = "worker";

    private final Topics topics;

    LaneRecords(Topics topics) {
        this.topics = topics;
    }

    /**
     * To another lane without an attempt.
     *
     * @param dueMillis for the delay lane, when it is due; epoch milliseconds
     */
    ProducerRecord<byte[], byte[]> unattempted(LaneItem item, Lane to, LaneReason reason, int moves, long dueMillis) {
        Headers headers = copyOf(item);
        set(headers, ItemHeaders.LANE_REASON, reason.label());
        set(headers, ItemHeaders.MOVES, Integer.toString(moves));
        if (to == Lane.DELAY) {
            set(headers, ItemHeaders.DUE, Long.toString(dueMillis));
        }
        return to(item, to, headers);
    }

    /** To the delay lane after an attempt. */
    ProducerRecord<byte[], byte[]> retry(LaneItem item, int attempts, long dueMillis, long attemptedAtMillis) {
        Headers headers = copyOf(item);
        set(headers, ItemHeaders.LANE_REASON, LaneReason.RETRY.label());
        set(headers, ItemHeaders.ATTEMPT, Integer.toString(attempts));
        set(headers, ItemHeaders.DUE, Long.toString(dueMillis));
        // Moves are bounded from one attempt to the next, or an old item could no longer be moved out of the way.
        headers.remove(ItemHeaders.MOVES);
        markAttempted(headers, attemptedAtMillis);
        return to(item, Lane.DELAY, headers);
    }

    /** To the dead-letter lane. */
    ProducerRecord<byte[], byte[]> dead(LaneItem item, Route.DeadLetter why, int attempts, long nowMillis) {
        ProducerRecord<byte[], byte[]> dead = dead(item.record(), why, nowMillis);
        set(dead.headers(), ItemHeaders.ATTEMPT, Integer.toString(attempts));
        if (attempts > 0) {
            markAttempted(dead.headers(), nowMillis);
        }
        return dead;
    }

    /** A record of a lane that is no item, to the dead-letter lane. */
    ProducerRecord<byte[], byte[]> dead(ConsumerRecord<byte[], byte[]> record, Route.DeadLetter why, long nowMillis) {
        Headers headers = new RecordHeaders(record.headers());
        headers.remove(ItemHeaders.DUE);
        DeadLetterHeaders.add(headers, why, STAGE, nowMillis, record.topic(), record.partition(), record.offset());
        return new ProducerRecord<>(topics.lane(Lane.DEAD_LETTER), record.partition(), timestamp(record), record.key(), record.value(), headers);
    }

    private ProducerRecord<byte[], byte[]> to(LaneItem item, Lane lane, Headers headers) {
        ConsumerRecord<byte[], byte[]> record = item.record();
        return new ProducerRecord<>(topics.lane(lane), record.partition(), timestamp(record), record.key(), record.value(), headers);
    }

    private static Headers copyOf(LaneItem item) {
        return new RecordHeaders(item.record().headers());
    }

    private static void markAttempted(Headers headers, long atMillis) {
        if (headers.lastHeader(ItemHeaders.FIRST_ATTEMPT_AT) == null) {
            set(headers, ItemHeaders.FIRST_ATTEMPT_AT, Long.toString(atMillis));
        }
    }

    /** A producer refuses a negative time, which a record of a foreign client may have. */
    private static long timestamp(ConsumerRecord<byte[], byte[]> record) {
        return Math.max(0, record.timestamp());
    }

    private static void set(Headers headers, String name, String value) {
        headers.remove(name);
        headers.add(name, value.getBytes(StandardCharsets.UTF_8));
    }
}
