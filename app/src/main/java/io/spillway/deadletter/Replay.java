package io.spillway.deadletter;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.routing.ReplayRules;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.Turn;
import io.spillway.kafka.topics.Topics;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Move of dead letters to the delay lane as if they had never been attempted. Key, value, timestamp and the producer's
 * headers are unchanged. Of Spillway's headers only the origin, the time of the first attempt and its turn are kept.
 *
 * @param topics      topics with the delay lane and its limits
 * @param startMillis current time, at which the first is due, epoch milliseconds
 * @param perSecond   rate at which they become due, items per second, above 0
 */
public record Replay(Topics topics, long startMillis, double perSecond) implements Disposal {
    /** Upper bounds of the framing of a record and of a header, bytes. */
    private static final int RECORD_OVERHEAD_BYTES = 512;
    private static final int HEADER_OVERHEAD_BYTES = 10;

    @Override
    public String done() {
        return "replayed";
    }

    @Override
    public ItemState to() {
        return ItemState.DELAY;
    }

    @Override
    public Optional<String> obstacle(DeadLetter letter) {
        OptionalLong cutFrom = ItemHeaders.number(letter.record().headers(), ItemHeaders.DEAD_CUT_FROM);
        if (cutFrom.isPresent()) {
            return Optional.of("only the beginning of its " + cutFrom.getAsLong() + " bytes was kept");
        }
        ProducerRecord<byte[], byte[]> record = delayed(letter, 0);
        long bytes = length(record.key()) + length(record.value());
        int headers = 0;
        for (Header header : record.headers()) {
            bytes += header.key().getBytes(StandardCharsets.UTF_8).length + length(header.value());
            headers++;
        }
        // The delay stage would dead-letter such a record again, or its topic would reject it.
        if (headers > ItemLimits.MAX_LANE_HEADERS) {
            return Optional.of(headers + " headers; the delay lane allows " + ItemLimits.MAX_LANE_HEADERS);
        }
        if (bytes > topics.delayedMaxBytes()
                || bytes + (long) headers * HEADER_OVERHEAD_BYTES + RECORD_OVERHEAD_BYTES > topics.laneMaxBytes()) {
            return Optional.of(
                    bytes + " bytes; the delay lane allows " + topics.delayedMaxBytes() + " (topics.maxBytes)");
        }
        return Optional.empty();
    }

    @Override
    public List<ProducerRecord<byte[], byte[]>> successors(DeadLetter letter, long index) {
        return List.of(delayed(letter, ReplayRules.dueMillis(startMillis, index, perSecond)));
    }

    private ProducerRecord<byte[], byte[]> delayed(DeadLetter letter, long dueMillis) {
        ConsumerRecord<byte[], byte[]> record = letter.record();
        Headers headers = new RecordHeaders(record.headers());
        ItemHeaders.removeDeadLetter(headers);
        headers.remove(ItemHeaders.ATTEMPT).remove(ItemHeaders.MOVES).remove(ItemHeaders.LANE_REASON);
        headers.remove(ItemHeaders.BLAME).remove(ItemHeaders.WAIT).remove(ItemHeaders.DESTINATION);
        // Else an item that had lost its workers would be a suspect at once.
        headers.remove(ItemHeaders.LOST).remove(ItemHeaders.GRANTED_BY).remove(ItemHeaders.LAST_FAILURE);
        set(headers, ItemHeaders.ORIGIN, letter.originText());
        // Its age counts from then, or a slow replay would use up the time of its last items.
        set(headers, ItemHeaders.REPLAYED_AT, Long.toString(dueMillis));
        set(headers, ItemHeaders.DUE, Long.toString(dueMillis));
        set(headers, ItemHeaders.REPLAY_BEGAN_AT, Long.toString(startMillis));
        Optional<Turn> turn = Turn.of(headers, topics.partitions());
        // It goes on in the place of its order that it has, or behind those that came after it.
        turn.ifPresent(had -> set(headers, ItemHeaders.LANE_REASON, LaneReason.ORDER.label()));
        // The same partition number keeps the tenant in its shard. A producer rejects a negative timestamp.
        return new ProducerRecord<>(topics.lane(Lane.DELAY), turn.map(Turn::partition).orElse(record.partition()),
                Math.max(0, record.timestamp()), record.key(), record.value(), headers);
    }

    private static void set(Headers headers, String name, String value) {
        headers.remove(name).add(name, value.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static int length(byte[] bytes) {
        return bytes == null ? 0 : bytes.length;
    }
}
