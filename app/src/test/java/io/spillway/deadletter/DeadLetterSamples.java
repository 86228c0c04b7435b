package io.spillway.deadletter;

import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.topics.Topics;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** Dead letters and surveys without Kafka. */
public final class DeadLetterSamples {
    private static final ItemReader READER = new ItemReader(ItemSchemas.load(), Integer.MAX_VALUE, Integer.MAX_VALUE);
    private static final ItemDecoder DECODER = new ItemDecoder();
    private static final RecordCodec<WorkItem> CODEC = new RecordCodec<>(new WorkItem());

    private DeadLetterSamples() {}

    /** Returns a dead letter of the reason attempts-used-up. */
    public static DeadLetter letter(
            int partition, long offset, String tenant, String id, long deadAtMillis, byte[] payload) {
        byte[] value = CODEC.encode(new WorkItem(tenant, id, Instant.ofEpochMilli(1_780_000_000_000L), "mail", null,
                "text/plain", Map.of(), ByteBuffer.wrap(payload)));
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>("spillway.dead-letter", partition, offset,
                1_785_000_000_000L, TimestampType.CREATE_TIME, tenant.length(), value.length, bytes(tenant), value,
                new RecordHeaders(), Optional.empty());
        record.headers()
                .add("authorization", bytes("secret of the producer"))
                .add(ItemHeaders.ATTEMPT, bytes("5"))
                .add(ItemHeaders.DEAD_REASON, bytes("attempts-used-up"))
                .add(ItemHeaders.DEAD_DETAIL, bytes("no luck"))
                .add(ItemHeaders.DEAD_AT, bytes(Long.toString(deadAtMillis)));
        return new DeadLetter(record, READER, DECODER);
    }

    /** Returns the survey of these dead letters. */
    public static Survey survey(Topics topics, List<DeadLetter> letters, DeadLetterFilter filter, long limit) {
        Survey survey = new Survey(List.of(), limit);
        letters.stream().filter(filter::matches)
                .forEach(letter -> survey.add(letter, new Discard(topics), ReplayForecast.NONE));
        return survey;
    }

    /** Returns one page with all of these dead letters that match. */
    public static DeadLetterPage page(List<DeadLetter> letters, DeadLetterFilter filter) {
        DeadLetterCounts counts = new DeadLetterCounts();
        List<DeadLetter> found = letters.stream().filter(filter::matches).toList();
        found.forEach(counts::add);
        return new DeadLetterPage(
                found.stream().map(DeadLetterPage.Row::of).toList(), Optional.empty(), counts, true);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
