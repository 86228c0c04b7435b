package io.spillway.deadletter;

import io.spillway.core.item.Printable;
import io.spillway.kafka.codec.HeaderNumber;
import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemDetails;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.codec.ParsedRecord;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * One dead letter. All of its words come from outside: whoever prints them makes them safe.
 *
 * <p>Not thread-safe: the id and the item are found when they are first asked for.
 */
public final class DeadLetter implements DeadLetterFacts {
    private final ConsumerRecord<byte[], byte[]> record;
    private final ItemDecoder decoder;
    private final ParsedRecord reading;
    private final Origin origin;
    private String id;

    DeadLetter(ConsumerRecord<byte[], byte[]> record, ItemReader reader, ItemDecoder decoder) {
        this.record = record;
        this.decoder = decoder;
        this.reading = reader.read(record.key(), record.value(), record.headers(), record.timestamp());
        this.origin = Origin.of(record.headers())
                .orElseGet(() -> new Origin(record.topic(), record.partition(), record.offset()));
    }

    /** The record as it lies in the dead-letter lane. */
    public ConsumerRecord<byte[], byte[]> record() {
        return record;
    }

    /** What a reader without limits of size finds in it: what could not be read then may be readable now. */
    public ParsedRecord reading() {
        return reading;
    }

    @Override
    public Optional<String> tenant() {
        return reading instanceof ParsedRecord.Item item ? Optional.of(item.tenant()) : Optional.empty();
    }

    @Override
    public String id() {
        if (id == null) {
            id = item().map(ItemDetails::id).orElseGet(this::originText);
        }
        return id;
    }

    /** The whole item; empty for one that cannot be read as an item. */
    public Optional<ItemDetails> item() {
        return reading instanceof ParsedRecord.Item item
                ? Optional.of(decoder.decode(item, record.value(), record.headers(), originText()))
                : Optional.empty();
    }

    @Override
    public String reason() {
        // Cut, since reasons are counted by; those of ours come out as they are.
        return Printable.of(text(ItemHeaders.DEAD_REASON));
    }

    /** What was found, for people; empty text where it does not say. */
    public String detail() {
        return text(ItemHeaders.DEAD_DETAIL);
    }

    /** Which part found it; empty text where it does not say. */
    public String stage() {
        return text(ItemHeaders.DEAD_STAGE);
    }

    @Override
    public OptionalLong deadAtMillis() {
        return HeaderNumber.of(record.headers(), ItemHeaders.DEAD_AT);
    }

    /** Attempts made, 0 where it does not say. */
    public long attempts() {
        return HeaderNumber.of(record.headers(), ItemHeaders.ATTEMPT).orElse(0);
    }

    /** Where it entered; where it lies when it does not say. */
    public Origin origin() {
        return origin;
    }

    /** {@link #origin} as topic-partition-offset. */
    public String originText() {
        return new String(origin.bytes(), StandardCharsets.ISO_8859_1);
    }

    /** Where it lies, as partition-offset. */
    public String position() {
        return record.partition() + "-" + record.offset();
    }

    private String text(String name) {
        Header header = record.headers().lastHeader(name);
        return header == null || header.value() == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
    }
}
