package io.spillway.deadletter;

import io.spillway.core.item.DeadReason;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemDetails;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.codec.ParsedRecord;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** One dead letter. Its texts are untrusted: escape them before printing. Not thread-safe: the id is decoded lazily. */
public final class DeadLetter {
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

    /** Returns the record in the dead-letter lane. */
    public ConsumerRecord<byte[], byte[]> record() {
        return record;
    }

    /** Returns the result of parsing it without size limits; a record that was unreadable may be readable now. */
    public ParsedRecord reading() {
        return reading;
    }

    /** Returns the tenant, or {@link LedgerOwner#NONE}: the name in every output and filter. */
    public String owner() {
        return LedgerOwner.ofDeadLetter(reading, record.headers());
    }

    /** Returns the owner that it has after a replay. */
    String nextOwner() {
        return LedgerOwner.of(reading);
    }

    /** Returns the item's id, or its origin if it has none. The first call can decode the whole item. */
    public String id() {
        if (id == null) {
            id = switch (reading) {
                case ParsedRecord.Item item -> decoder.id(item, record.value(), record.headers(), originText());
                case ParsedRecord.Unreadable bad ->
                    decoder.id(bad, record.value(), record.headers()).orElseGet(this::originText);
            };
        }
        return id;
    }

    /** Returns the complete item; empty if the record is not a readable item. */
    public Optional<ItemDetails> item() {
        return reading instanceof ParsedRecord.Item item
                ? Optional.of(decoder.decode(item, record.value(), record.headers(), originText()))
                : Optional.empty();
    }

    /** Returns the value of {@code spillway-dead-reason}; empty text if absent. */
    public String reason() {
        // Truncated, because reasons are keys of counters. Spillway's own reasons are short and unchanged.
        return Printable.of(text(ItemHeaders.DEAD_REASON));
    }

    /** Returns the reason if it is one of Spillway's own. */
    Optional<DeadReason> knownReason() {
        return DeadReason.of(text(ItemHeaders.DEAD_REASON));
    }

    /** Returns the error description for people; empty text if absent. */
    public String detail() {
        return text(ItemHeaders.DEAD_DETAIL);
    }

    /** Returns the part that dead-lettered it; empty text if absent. */
    public String stage() {
        return text(ItemHeaders.DEAD_STAGE);
    }

    /** Returns the time at which it was dead-lettered, epoch milliseconds; empty if absent. */
    public OptionalLong deadAtMillis() {
        return ItemHeaders.number(record.headers(), ItemHeaders.DEAD_AT);
    }

    /** Returns the number of attempts; 0 if absent. */
    public long attempts() {
        return ItemHeaders.number(record.headers(), ItemHeaders.ATTEMPT).orElse(0);
    }

    /** Returns the position where the item entered, topic-partition-offset; its current position if unknown. */
    public String originText() {
        return new String(origin.bytes(), StandardCharsets.ISO_8859_1);
    }

    /** Returns its current position as partition-offset. */
    public String position() {
        return record.partition() + "-" + record.offset();
    }

    private String text(String name) {
        return ItemHeaders.text(record.headers(), name).orElse("");
    }
}
