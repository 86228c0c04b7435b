package io.spillway.router.route;

import io.spillway.core.item.DeadReason;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.codec.ParsedRecord;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.processor.api.Record;

/** Routing decision for a record of ingress, or for an item whose delay is over, by the same rules. */
public final class ItemDecider implements Decider {
    private static final ItemDecoder DECODER = new ItemDecoder();

    private final ItemReader reader;
    private final ItemRules rules;
    private final boolean isDue;

    private ItemDecider(ItemReader reader, ItemRules rules, boolean isDue) {
        this.reader = reader;
        this.rules = rules;
        this.isDue = isDue;
    }

    /** Creates a decider for records that producers wrote to ingress. */
    public static ItemDecider ofIngress(ItemReader reader, ItemRules rules) {
        return new ItemDecider(reader, rules, false);
    }

    /** Creates a decider for due items; its reader needs a lane's limits, which are larger than those of ingress. */
    public static ItemDecider ofDue(ItemReader reader, ItemRules rules) {
        return new ItemDecider(reader, rules, true);
    }

    @Override
    public Decision decide(Record<byte[], byte[]> record, long nowMillis) {
        Headers headers = record.headers();
        return switch (reader.read(record.key(), record.value(), headers, record.timestamp())) {
            case ParsedRecord.Item item when isCancelled(item, record, nowMillis) -> rules.cancelled(item);
            case ParsedRecord.Item item when isDue -> {
                // It has waited as long as it may: a time in the future counts as now.
                long notBeforeMillis = Math.min(nowMillis, Math.max(item.deliverAtMillis(),
                        ItemHeaders.number(headers, ItemHeaders.REPLAYED_AT).orElse(0)));
                boolean attempted = ItemHeaders.number(headers, ItemHeaders.ATTEMPT).orElse(0) > 0;
                yield withReason(rules.decide(item, record.timestamp(), notBeforeMillis, attempted, nowMillis),
                        attempted);
            }
            case ParsedRecord.Item item when item.deliverAtMillis() == ParsedRecord.Item.NO_TIME ->
                    Decision.unreadable(new Route.DeadLetter(DeadReason.BAD_DELIVER_AT,
                            "'" + ItemHeaders.text(headers, ItemHeaders.DELIVER_AT).orElse("")
                                    + "' is not epoch milliseconds (" + ItemHeaders.DELIVER_AT + ")"),
                            item.hasInternalHeaders());
            case ParsedRecord.Item item ->
                    rules.decide(item, record.timestamp(), item.deliverAtMillis(), false, nowMillis);
            case ParsedRecord.Unreadable unreadable -> Decision.unreadable(
                    new Route.DeadLetter(unreadable.reason(), unreadable.detail()),
                    isDue || unreadable.hasInternalHeaders());
        };
    }

    private boolean isCancelled(ParsedRecord.Item item, Record<byte[], byte[]> record, long nowMillis) {
        return rules.sweeps().hasCancels(item.tenant()) && rules.sweeps().isCancelled(
                item.tenant(), item.workload(), record.timestamp(), nowMillis,
                () -> DECODER.id(item, record.value(), record.headers(), originOf(record.headers())));
    }

    /** Empty for a record of ingress: if it has no id, the worker knows it by the position that it has there. */
    private static String originOf(Headers headers) {
        return Origin.of(headers).map(origin -> new String(origin.bytes(), StandardCharsets.ISO_8859_1)).orElse("");
    }

    private static Decision withReason(Decision decision, boolean attempted) {
        return decision.route().equals(Route.HOT) ? decision.with(attempted ? Route.RETRIED : Route.DUE) : decision;
    }
}
