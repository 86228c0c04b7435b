package io.spillway.audit;

import io.spillway.core.item.ItemState;
import io.spillway.kafka.codec.HeaderNumber;
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
 * A record where it lies. Its words come from outside: whoever prints them makes them safe.
 *
 * @param place           where; {@link ItemState#OUTSIDE} for ingress
 * @param topic           it lies in; of a timer the delay lane
 * @param partition       of that topic
 * @param offset          of that partition; a timer has the one that it had in the delay lane
 * @param isWaiting       whether it is still to be taken from there; what is finished lies there until it is purged
 * @param isTimer         whether the delay stage keeps it
 * @param value           may be null
 * @param headers         not null
 * @param timestampMillis of the record
 * @param reading         what a reader without limits finds in it
 */
public record StoredItem(
        ItemState place, String topic, int partition, long offset, boolean isWaiting, boolean isTimer,
        byte[] value, Headers headers, long timestampMillis, ParsedRecord reading) {
    private static final ItemReader READER = new ItemReader(ItemSchemas.load(), Integer.MAX_VALUE, Integer.MAX_VALUE);
    private static final ItemDecoder DECODER = new ItemDecoder();

    /** Reads a record. */
    static StoredItem read(
            ItemState place, String topic, int partition, long offset, boolean isWaiting, boolean isTimer,
            byte[] key, byte[] value, Headers headers, long timestampMillis) {
        return new StoredItem(place, topic, partition, offset, isWaiting, isTimer, value, headers, timestampMillis,
                READER.read(key, value, headers, timestampMillis));
    }

    /** In whose books it is. */
    public String owner() {
        return reading instanceof ParsedRecord.Item item ? item.tenant() : LedgerOwner.NOBODY;
    }

    /** When it was made, as it says; empty where it cannot be read. Epoch milliseconds. */
    public OptionalLong enqueuedAtMillis() {
        return reading instanceof ParsedRecord.Item item ? OptionalLong.of(item.enqueuedAtMillis()) : OptionalLong.empty();
    }

    /** Its id; where it entered when it has none or cannot be read. */
    public String id() {
        return reading instanceof ParsedRecord.Item item ? DECODER.id(item, value, headers, origin()) : origin();
    }

    /** Where it entered, {@code topic-partition-offset}; here, when it does not say. */
    public String origin() {
        return new String(Origin.of(headers).orElseGet(() -> new Origin(topic, partition, offset)).bytes(), StandardCharsets.UTF_8);
    }

    /** A header that is a number, for example {@link ItemHeaders#ATTEMPT}. */
    public OptionalLong number(String header) {
        return HeaderNumber.of(headers, header);
    }

    /** A header that is text. */
    public Optional<String> text(String header) {
        return Optional.ofNullable(headers.lastHeader(header))
                .filter(found -> found.value() != null)
                .map(found -> new String(found.value(), StandardCharsets.UTF_8));
    }
}
