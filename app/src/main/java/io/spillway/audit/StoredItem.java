package io.spillway.audit;

import io.spillway.core.item.ItemState;
import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.codec.ParsedRecord;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.header.Headers;

/**
 * Stored record with its position and state. Its texts are untrusted: escape them before printing.
 *
 * @param place           state; {@link ItemState#OUTSIDE} for ingress, on the trail a final one, or where it went
 * @param topic           topic; of a timer, the delay lane
 * @param partition       partition of the topic
 * @param offset          offset in the partition; of a timer, the offset that it had in the delay lane
 * @param progress        whether and how it waits
 * @param value           may be null
 * @param headers         not null
 * @param timestampMillis timestamp of the record, epoch milliseconds
 * @param reading         result of parsing it without size limits
 */
public record StoredItem(
        ItemState place, String topic, int partition, long offset, Progress progress, byte[] value, Headers headers,
        long timestampMillis, ParsedRecord reading) {
    private static final ItemReader READER = new ItemReader(ItemSchemas.load(), Integer.MAX_VALUE, Integer.MAX_VALUE);
    private static final ItemDecoder DECODER = new ItemDecoder();

    static StoredItem read(
            ItemState place, String topic, int partition, long offset, Progress progress, byte[] key, byte[] value,
            Headers headers, long timestampMillis) {
        return new StoredItem(place, topic, partition, offset, progress, value, headers, timestampMillis,
                READER.read(key, value, headers, timestampMillis));
    }

    /** Whether and how an item waits. */
    public enum Progress {
        /** Finished; its record remains until it is purged. */
        FINISHED,
        /** An attempt of it failed, says the trail; it went where the place says. */
        FAILED,
        WAITS,
        /** It waits in the delay stage until it is due. */
        TIMER,
        /** A retry that is due, and waits in the delay stage for the retry budget. */
        PARKED
    }

    /** Returns whether it is unfinished. */
    public boolean isWaiting() {
        return progress != Progress.FINISHED && progress != Progress.FAILED;
    }

    /** Returns the ledger owner. */
    public String owner() {
        return place == ItemState.DEAD_LETTER ? LedgerOwner.ofDeadLetter(reading, headers) : LedgerOwner.of(reading);
    }

    /** Returns the item's own enqueue time, epoch milliseconds; empty for an unreadable item. */
    public OptionalLong enqueuedAtMillis() {
        return reading instanceof ParsedRecord.Item item
                ? OptionalLong.of(item.enqueuedAtMillis())
                : OptionalLong.empty();
    }

    /** Returns the item's id; the origin if it has none that can be read. */
    public String id() {
        return switch (reading) {
            case ParsedRecord.Item item -> DECODER.id(item, value, headers, origin());
            case ParsedRecord.Unreadable bad -> DECODER.id(bad, value, headers).orElseGet(this::origin);
        };
    }

    /** Returns the position where it entered, {@code topic-partition-offset}; its current position if unknown. */
    public String origin() {
        Origin origin = Origin.of(headers).orElseGet(() -> new Origin(topic, partition, offset));
        return new String(origin.bytes(), StandardCharsets.UTF_8);
    }

    /** Returns whether it is a delivery to a subscription of the item with this id. */
    public boolean isDeliveryOf(String itemId) {
        return Origin.of(headers).filter(origin -> !origin.delivery().isEmpty())
                .filter(origin -> id().equals(itemId + origin.delivery())).isPresent();
    }

    /** Returns a numeric header, for example {@link ItemHeaders#ATTEMPT}. */
    public OptionalLong number(String header) {
        return ItemHeaders.number(headers, header);
    }

    /** Returns a text header. */
    public Optional<String> text(String header) {
        return ItemHeaders.text(headers, header);
    }
}
