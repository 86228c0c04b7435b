package io.spillway.router.route;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.policy.Subscription;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.codec.ParsedRecord;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Deliveries that one step makes of an item: items of their own, with the item's key, value and timestamp.
 *
 * @param item       of which they are made
 * @param deliveries at most {@link #most}
 * @param next       where the next step goes on; empty if this is the last one
 */
record FanOut(ParsedRecord.Item item, List<Delivery> deliveries, Optional<Cursor> next) {
    /** Deliveries that one step makes: some ten milliseconds, in which other tenants' records wait. */
    private static final int MOST = 256;
    /** Bytes of the values of one step, unless one alone has more. */
    private static final int MOST_BYTES = 8 * 1024 * 1024;
    /** Pause until the next step, in which the stage routes what has come meanwhile. */
    static final long PAUSE_MILLIS = 20;

    private static final ItemDecoder DECODER = new ItemDecoder();

    /**
     * Progress of the deliveries of an item.
     *
     * @param made  deliveries so far
     * @param after name of the subscription after which they go on; empty for the first
     */
    record Cursor(long made, String after) {
        static final Cursor BEGIN = new Cursor(0, "");
        private static final String SEPARATOR = "/";

        /** Returns the progress that an item's headers have; the beginning without one. */
        static Cursor of(Headers headers) {
            String[] parts = ItemHeaders.text(headers, ItemHeaders.NEXT_DELIVERY).orElse("").split(SEPARATOR, 2);
            return parts.length < 2 ? BEGIN : new Cursor(Long.parseLong(parts[0]), parts[1]);
        }

        void set(Headers headers) {
            ItemHeaders.set(headers, ItemHeaders.NEXT_DELIVERY, made + SEPARATOR + after);
        }
    }

    /** Delivery to a subscription, with the decision on it. */
    record Delivery(Subscription subscription, Decision decision) {}

    /** Returns how many deliveries one step makes of an item of this size, 1 or more. */
    static int most(int bytes) {
        return Math.clamp(MOST_BYTES / Math.max(1, bytes), 1, MOST);
    }

    /** Returns what the ids of its deliveries begin with: its id, or a name made of one that would be too long. */
    String idOf(Record<byte[], byte[]> whole, Origin origin) {
        String id = DECODER.id(item, whole.value(), whole.headers(),
                new String(origin.bytes(), StandardCharsets.ISO_8859_1));
        return id.length() + ItemLimits.MAX_NAME_LENGTH <= ItemLimits.MAX_ID_LENGTH ? id
                : UUID.nameUUIDFromBytes(id.getBytes(StandardCharsets.ISO_8859_1)).toString();
    }

    /** Returns what the records of its deliveries have in common. */
    Record<byte[], byte[]> common(Record<byte[], byte[]> whole) {
        Headers headers = new RecordHeaders(whole.headers());
        ItemHeaders.removeInternal(headers);
        headers.remove(ItemHeaders.ID).remove(ItemHeaders.WORKLOAD).remove(ItemHeaders.DEDUPE);
        ItemHeaders.set(headers, ItemHeaders.PARENT_WORKLOAD, item.workload());
        for (String name : List.of(ItemHeaders.REPLAYED_AT, ItemHeaders.REPLAY_BEGAN_AT)) {
            ItemHeaders.text(whole.headers(), name).ifPresent(at -> ItemHeaders.set(headers, name, at));
        }
        return whole.withHeaders(headers);
    }

    /** Returns a delivery's record. Its id is that of the item with the delivery's workload behind it. */
    static Record<byte[], byte[]> record(
            Delivery delivery, Record<byte[], byte[]> common, Origin origin, String itemId) {
        String workload = delivery.subscription.workload();
        Headers headers = new RecordHeaders(common.headers())
                .add(ItemHeaders.ID, ascii(itemId + workload))
                .add(ItemHeaders.WORKLOAD, ascii(workload))
                .add(ItemHeaders.ORIGIN, origin.of(workload).bytes());
        return common.withHeaders(headers);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Headers of deliveries, which have their origin. */
    record DeliveryHeaders() implements LaneHeaders {
        @Override
        public void toLane(Headers headers, Route.ToLane to, Decision decision, long offset, long nowMillis) {
            decision.correctEnqueuedAt(headers);
            if (to.reason() != LaneReason.FRESH) {
                headers.add(REASONS.get(to.reason()));
            }
            if (to.lane() == Lane.DELAY) {
                ItemHeaders.set(headers, ItemHeaders.DUE, Long.toString(nowMillis));
            }
        }

        /** Sets the headers of a delivery that the dead-letter lane does not take now: it is due in the delay lane. */
        static void later(Headers headers, long nowMillis) {
            headers.add(REASONS.get(LaneReason.LATER));
            ItemHeaders.set(headers, ItemHeaders.DUE, Long.toString(nowMillis));
        }

        @Override
        public Origin toDeadLetter(Headers headers, Decision decision, long offset) {
            return Origin.of(headers).orElseThrow();
        }
    }
}
