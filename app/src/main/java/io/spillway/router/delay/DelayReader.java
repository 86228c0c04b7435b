package io.spillway.router.delay;

import io.spillway.core.delay.DelayedItem;
import io.spillway.core.item.DeadReason;
import io.spillway.core.item.LaneReason;
import io.spillway.core.retry.RetryKey;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.router.route.Decision;
import java.nio.charset.StandardCharsets;
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
    private static final String RETRY = LaneReason.RETRY.label();
    private static final String SCHEDULED = LaneReason.SCHEDULED.label();

    private final ItemReader reader;

    /** Result of reading a record. */
    sealed interface Arrival {
        /** An item that waits until it is due, and whether its due time was too far ahead. */
        record Waits(DelayedItem item, boolean wasClamped) implements Arrival {}

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
            case ParsedRecord.Item item -> {
                DelayedItem delayed = delayed(item, record, due.getAsLong(), nowMillis);
                long untilMillis = delayed.times().dueMillis();
                boolean wasClamped = due.getAsLong() > untilMillis;
                if (wasClamped) {
                    // Otherwise it would be too far ahead again when it is read again.
                    byte[] dueMillis = Long.toString(untilMillis).getBytes(StandardCharsets.US_ASCII);
                    headers.remove(ItemHeaders.DUE).add(ItemHeaders.DUE, dueMillis);
                    if (item.deliverAtMillis() > untilMillis) {
                        // Otherwise it would not age until then.
                        headers.remove(ItemHeaders.DELIVER_AT).add(ItemHeaders.DELIVER_AT, dueMillis);
                    }
                }
                yield new Arrival.Waits(delayed, wasClamped);
            }
        };
    }

    /** Returns the routing fields of a record that {@link #read} has read before; empty if it is not a valid item. */
    Optional<ParsedRecord.Item> item(Record<byte[], byte[]> record) {
        return reader.read(record.key(), record.value(), record.headers(), record.timestamp())
                instanceof ParsedRecord.Item item ? Optional.of(item) : Optional.empty();
    }

    /** Returns what decides how long an item waits; as {@link #item}. */
    Optional<DelayedItem> readAgain(Record<byte[], byte[]> record, long nowMillis) {
        Headers headers = record.headers();
        return item(record).map(item -> delayed(
                item, record, ItemHeaders.number(headers, ItemHeaders.DUE).orElse(0), nowMillis));
    }

    private static Arrival dead(DeadReason reason, String detail) {
        return new Arrival.Dead(Decision.unreadable(new Route.DeadLetter(reason, detail), true));
    }

    private static DelayedItem delayed(
            ParsedRecord.Item item, Record<byte[], byte[]> record, long dueMillis, long nowMillis) {
        Headers headers = record.headers();
        Optional<String> reason = ItemHeaders.text(headers, ItemHeaders.LANE_REASON);
        int attempts = Math.clamp(ItemHeaders.number(headers, ItemHeaders.ATTEMPT).orElse(0), 0, Integer.MAX_VALUE);
        return new DelayedItem(
                new RetryKey(ItemHeaders.text(headers, ItemHeaders.DESTINATION).orElse(""), item.tenant()),
                item.workload(), attempts > 0 && reason.filter(RETRY::equals).isPresent(), attempts,
                ItemHeaders.times(item, headers, record.timestamp(), nowMillis)
                        .due(dueMillis, reason.filter(SCHEDULED::equals).isPresent(), nowMillis));
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
