package io.spillway.kafka.codec;

import io.spillway.core.item.ItemState;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Codec of the trail, which has a record for each finished item, for each failed attempt of a delivery to a
 * subscription, and for each move of an item of a tracked tenant. Its headers are those of an item without its payload,
 * so that it is read as an item; one with {@link ItemHeaders#DEDUPE} may be a duplicate. Its value says how the item
 * finished, or where it went, and the broker sets its time. Immutable and thread-safe.
 */
public final class TrailCodec {
    /** Headers that tell of the attempts of a finished item. */
    public static final List<String> ATTEMPTED = List.of(ItemHeaders.TOOK, ItemHeaders.FIRST_ATTEMPT_AT);
    /** Reason of a dead letter that was discarded. */
    public static final String DISCARDED = "discarded";

    /** Most characters of the text of a failed attempt, in {@link ItemHeaders#LAST_FAILURE}. */
    public static final int MAX_FAILURE = 500;

    private final ItemReader reader = new ItemReader(ItemSchemas.load(), Integer.MAX_VALUE, Integer.MAX_VALUE);
    private final ItemDecoder decoder = new ItemDecoder();

    /**
     * How an item finished: the value of its record, for example {@code done} or {@code dropped ttl}; after a failed
     * attempt {@code delay retry}, or {@code dead-letter} and the reason; after a move {@code hot fresh}.
     *
     * @param state  any but outside
     * @param reason empty if done
     */
    public record End(ItemState state, String reason) {
        /** Returns whether the item is finished; otherwise it has moved, perhaps because an attempt of it failed. */
        public boolean isFinal() {
            return state == ItemState.DONE || state == ItemState.DROPPED;
        }

        /** Returns the value of the record. */
        public byte[] encode() {
            return (state.label() + " " + reason).strip().getBytes(StandardCharsets.US_ASCII);
        }

        /** Returns the content of a value, which may be null; empty if it is not of a trail. */
        public static Optional<End> of(byte[] value) {
            String[] words = value == null ? new String[] {""}
                    : new String(value, StandardCharsets.US_ASCII).split(" ", 2);
            return Stream.of(ItemState.values())
                    .filter(state -> state != ItemState.OUTSIDE && state.label().equals(words[0]))
                    .findFirst()
                    .map(state -> new End(state, words.length > 1 ? words[1] : ""));
        }
    }

    /** Returns the headers for a record that is not read yet; parameters as below. */
    public Headers headers(
            byte[] key, byte[] value, Headers headers, long timestampMillis, String origin, long attempts) {
        return headers(reader.read(key, value, headers, timestampMillis), value, headers, origin, attempts);
    }

    /**
     * Returns the headers of the trail's record.
     *
     * @param read     result of reading the item; a discarded dead letter may be unreadable
     * @param value    of the item; may be null if it is unreadable
     * @param headers  of the item; not changed
     * @param origin   position at which it entered
     * @param attempts attempts in all, 0 or more
     */
    public Headers headers(ParsedRecord read, byte[] value, Headers headers, String origin, long attempts) {
        Headers trail = new RecordHeaders();
        switch (read) {
            case ParsedRecord.Item item -> {
                add(trail, ItemHeaders.TENANT, item.tenant());
                add(trail, ItemHeaders.ID, decoder.id(item, value, headers, origin));
                add(trail, ItemHeaders.ENQUEUED_AT, Long.toString(item.enqueuedAtMillis()));
                if (!item.workload().isEmpty()) {
                    add(trail, ItemHeaders.WORKLOAD, item.workload());
                }
            }
            case ParsedRecord.Unreadable bad -> {
                if (!bad.tenant().isEmpty()) {
                    add(trail, ItemHeaders.TENANT, bad.tenant());
                }
                decoder.id(bad, value, headers).ifPresent(id -> add(trail, ItemHeaders.ID, id));
            }
        }
        add(trail, ItemHeaders.ORIGIN, origin);
        add(trail, ItemHeaders.ATTEMPT, Long.toString(attempts));
        for (String name : ATTEMPTED) {
            ItemHeaders.number(headers, name).ifPresent(millis -> add(trail, name, Long.toString(millis)));
        }
        return trail;
    }

    private static void add(Headers headers, String name, String value) {
        headers.add(name, value.getBytes(StandardCharsets.UTF_8));
    }
}
