package io.spillway.deadletter;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.routing.ReplayRules;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.topics.Topics;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Puts them into the delay lane as if they had never been tried: key, value, timestamp and the producer's headers as
 * they are, of ours only where the item entered and when it was first attempted, which it stays.
 *
 * @param topics      for the delay lane and its limits
 * @param startMillis now; when the first is due, epoch milliseconds
 * @param perSecond   how many are due in a second, above 0
 */
public record Replay(Topics topics, long startMillis, double perSecond) implements Disposal {
    /** More than a record takes beside its key, value and headers, and a header beside its name and value. Bytes. */
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
        ProducerRecord<byte[], byte[]> record = delayed(letter, 0);
        long bytes = length(record.key()) + length(record.value());
        int headers = 0;
        for (Header header : record.headers()) {
            bytes += header.key().getBytes(StandardCharsets.UTF_8).length + length(header.value());
            headers++;
        }
        // What the delay stage would only make a dead letter again, or what its topic would refuse.
        if (headers > ItemLimits.MAX_LANE_HEADERS) {
            return Optional.of(headers + " headers; the delay lane takes " + ItemLimits.MAX_LANE_HEADERS);
        }
        if (bytes > topics.delayedMaxBytes()
                || bytes + (long) headers * HEADER_OVERHEAD_BYTES + RECORD_OVERHEAD_BYTES > topics.laneMaxBytes()) {
            return Optional.of(bytes + " bytes; the delay lane takes " + topics.delayedMaxBytes() + " (topics.maxBytes)");
        }
        return Optional.empty();
    }

    @Override
    public Optional<ProducerRecord<byte[], byte[]>> successor(DeadLetter letter, long index) {
        return Optional.of(delayed(letter, ReplayRules.dueMillis(startMillis, index, perSecond)));
    }

    private ProducerRecord<byte[], byte[]> delayed(DeadLetter letter, long dueMillis) {
        ConsumerRecord<byte[], byte[]> record = letter.record();
        Headers headers = new RecordHeaders(record.headers());
        ItemHeaders.removeDeadLetter(headers);
        headers.remove(ItemHeaders.ATTEMPT).remove(ItemHeaders.MOVES).remove(ItemHeaders.LANE_REASON);
        set(headers, ItemHeaders.ORIGIN, letter.originText());
        set(headers, ItemHeaders.REPLAYED_AT, Long.toString(startMillis));
        set(headers, ItemHeaders.DUE, Long.toString(dueMillis));
        // It keeps its partition's number, and so its tenant its shard. A producer refuses a negative time.
        return new ProducerRecord<>(topics.lane(Lane.DELAY), record.partition(), Math.max(0, record.timestamp()),
                record.key(), record.value(), headers);
    }

    private static void set(Headers headers, String name, String value) {
        headers.remove(name).add(name, value.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static int length(byte[] bytes) {
        return bytes == null ? 0 : bytes.length;
    }
}
