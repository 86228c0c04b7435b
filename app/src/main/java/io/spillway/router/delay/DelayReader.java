package io.spillway.router.delay;

import io.spillway.core.item.DeadReason;
import io.spillway.core.routing.ReplayRules;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.HeaderNumber;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.codec.ParsedRecord;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Reads a record of the delay lane and puts its headers in order, so that whatever waits has an origin and none of the
 * headers of a dead letter.
 *
 * <p>Our own parts write an origin, and what they wrote is kept. A record without one was written by somebody else: as
 * in ingress its internal headers are stripped and its origin is where it lies; only its due time counts.
 *
 * <p>A record without a due time that is a number is a dead letter. To take it for due would be kinder to one item, but
 * a writer with a bug would then retry without any pause, which is what the delay lane is there to prevent.
 */
public final class DelayReader {
    /** No item waits longer. */
    static final long LONGEST_MILLIS = ReplayRules.LONGEST_WAIT_MILLIS;

    private final ItemReader reader;

    public DelayReader(ItemReader reader) {
        this.reader = reader;
    }

    /**
     * Reads a record. Its headers are changed.
     *
     * @param place     where it lies
     * @param nowMillis epoch milliseconds
     */
    Arrival read(Record<byte[], byte[]> record, Origin place, long nowMillis) {
        Headers headers = record.headers();
        ParsedRecord reading = reader.read(record.key(), record.value(), headers, record.timestamp());
        OptionalLong due = HeaderNumber.of(headers, ItemHeaders.DUE);
        putInOrder(headers, place);
        return switch (reading) {
            case ParsedRecord.Unreadable bad -> new Arrival.Dead(new Route.DeadLetter(bad.reason(), bad.detail()));
            case ParsedRecord.Item item when due.isEmpty() -> new Arrival.Dead(new Route.DeadLetter(
                    DeadReason.BAD_DUE, "in the delay lane without a header " + ItemHeaders.DUE + " that is epoch milliseconds"));
            case ParsedRecord.Item item when due.getAsLong() <= nowMillis -> Arrival.Due.NOW;
            case ParsedRecord.Item item -> later(due.getAsLong(), nowMillis);
        };
    }

    private static Arrival later(long dueMillis, long nowMillis) {
        long latestMillis = nowMillis + LONGEST_MILLIS;
        return new Arrival.Later(Math.min(dueMillis, latestMillis), dueMillis > latestMillis);
    }

    private static void putInOrder(Headers headers, Origin place) {
        Optional<Origin> origin = Origin.of(headers);
        if (origin.isEmpty()) {
            ItemHeaders.removeInternal(headers);
            headers.add(ItemHeaders.ORIGIN, place.bytes());
            return;
        }
        ItemHeaders.removeDeadLetter(headers);
        if (headers.lastHeader(ItemHeaders.ORIGIN) == null) {
            headers.add(ItemHeaders.ORIGIN, origin.get().bytes());
        }
    }
}
