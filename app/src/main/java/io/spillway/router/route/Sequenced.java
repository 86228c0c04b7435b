package io.spillway.router.route;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.LaneReason;
import io.spillway.core.policy.Subscription;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.KeyHash;
import io.spillway.kafka.codec.ParsedRecord;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.processor.api.Record;

/**
 * What an item says about its order and its duplicates.
 *
 * @param key its order key by name; empty for none
 * @param id  its id by name, among those with its order key, if a second item with it is to be dropped
 */
public record Sequenced(Optional<KeyHash> key, Optional<KeyHash> id) {
    private static final ItemDecoder DECODER = new ItemDecoder();
    private static final String DEDUPED = "true";

    /** Returns whether an item of the delay lane waits for its turn, or to learn whether its id is new. */
    public static boolean isInTurn(Headers headers) {
        return ItemHeaders.text(headers, ItemHeaders.LANE_REASON).filter(LaneReason.ORDER.label()::equals).isPresent();
    }

    /** Reads it from an item that has no {@link #problem}. */
    public static Sequenced of(ParsedRecord.Item item, Record<byte[], byte[]> record) {
        return of(item, record, item.workload());
    }

    /** @param workload of the item, or of a delivery that is made of it */
    static Sequenced of(ParsedRecord.Item item, Record<byte[], byte[]> record, String workload) {
        boolean isDelivery = Subscription.isDelivery(workload);
        Optional<String> orderKey = ItemHeaders.text(record.headers(), ItemHeaders.ORDER_KEY);
        return new Sequenced(
                orderKey.map(key -> KeyHash.ofKey(item.tenant(), isDelivery ? workload : "", key)),
                isDelivery || !isDeduped(record) ? Optional.empty()
                        : Optional.of(KeyHash.ofId(item.tenant(), orderKey.orElse(""), idOf(item, record))));
    }

    /** Returns why an item cannot be sequenced. */
    static Optional<Route.DeadLetter> problem(ParsedRecord.Item item, Record<byte[], byte[]> record) {
        Optional<byte[]> key = ItemHeaders.text(record.headers(), ItemHeaders.ORDER_KEY)
                .map(text -> text.getBytes(StandardCharsets.UTF_8));
        if (key.isPresent() && !ItemLimits.isId(key.get(), 0, key.get().length)) {
            return Optional.of(new Route.DeadLetter(DeadReason.BAD_ORDER_KEY, ItemHeaders.ORDER_KEY + " must be 1 to "
                    + ItemLimits.MAX_ID_LENGTH + " printable ASCII characters"));
        }
        return isDeduped(record) && idOf(item, record).isEmpty()
                ? Optional.of(new Route.DeadLetter(DeadReason.BAD_ID, "an item with " + ItemHeaders.DEDUPE
                        + " needs an id (" + ItemHeaders.ID + ")"))
                : Optional.empty();
    }

    /** Returns whether it has neither an order key nor an id that counts. */
    boolean isEmpty() {
        return key.isEmpty() && id.isEmpty();
    }

    /** Returns the partition of the delay lane that knows its predecessors; it is not empty. */
    int partition(int partitions) {
        return key.or(() -> id).orElseThrow().partition(partitions);
    }

    static boolean isDeduped(Record<byte[], byte[]> record) {
        return ItemHeaders.text(record.headers(), ItemHeaders.DEDUPE).filter(DEDUPED::equals).isPresent();
    }

    private static String idOf(ParsedRecord.Item item, Record<byte[], byte[]> record) {
        return DECODER.id(item, record.value(), record.headers(), "");
    }
}
