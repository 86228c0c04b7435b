package io.spillway.router.delay;

import io.spillway.core.item.DeadReason;
import io.spillway.core.routing.ReplayRules;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.router.route.Decision;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Reader of delay lane records, which also normalizes their headers: every waiting record has an origin and no dead
 * letter headers.
 *
 * <p>Spillway writes an origin, and the headers of such a record are kept. A record without an origin comes from
 * another writer: as in ingress its internal headers are removed, and its origin is its position in the delay lane.
 * Only its due time counts.
 *
 * <p>A record whose due time is missing or not a number is a dead letter. If it counted as due, a writer with this bug
 * would retry without a pause, which the delay lane exists to prevent.
 */
public final class DelayReader {
    /** Longest wait of an item. */
    static final long LONGEST_MILLIS = ReplayRules.LONGEST_WAIT_MILLIS;

    private final ItemReader reader;

    /** Result of reading a record. */
    sealed interface Arrival {
        /** An item due at epoch milliseconds, also in the past; clamped if its header was too far ahead. */
        record Due(long dueMillis, boolean wasClamped) implements Arrival {}

        /** A record that is not a valid delayed item. */
        record Dead(Decision decision) implements Arrival {}
    }

    public DelayReader(ItemReader reader) {
        this.reader = reader;
    }

    /** Reads the record at a position in the delay lane and changes its headers. */
    Arrival read(Record<byte[], byte[]> record, Origin position, long nowMillis) {
        Headers headers = record.headers();
        ParsedRecord parsed = reader.read(record.key(), record.value(), headers, record.timestamp());
        OptionalLong due = ItemHeaders.number(headers, ItemHeaders.DUE);
        normalize(headers, position);
        return switch (parsed) {
            case ParsedRecord.Unreadable bad -> dead(bad.reason(), bad.detail());
            case ParsedRecord.Item item when due.isEmpty() ->
                dead(DeadReason.BAD_DUE, "header " + ItemHeaders.DUE + " is missing or is not epoch milliseconds");
            case ParsedRecord.Item item -> due(due.getAsLong(), nowMillis + LONGEST_MILLIS);
        };
    }

    private static Arrival dead(DeadReason reason, String detail) {
        return new Arrival.Dead(Decision.unreadable(new Route.DeadLetter(reason, detail), true));
    }

    private static Arrival due(long dueMillis, long latestMillis) {
        return new Arrival.Due(Math.min(dueMillis, latestMillis), dueMillis > latestMillis);
    }

    private static void normalize(Headers headers, Origin position) {
        Optional<Origin> origin = Origin.of(headers);
        if (origin.isEmpty()) {
            ItemHeaders.removeInternal(headers);
            headers.add(ItemHeaders.ORIGIN, position.bytes());
            return;
        }
        ItemHeaders.removeDeadLetter(headers);
        if (headers.lastHeader(ItemHeaders.ORIGIN) == null) {
            headers.add(ItemHeaders.ORIGIN, origin.get().bytes());
        }
    }
}
