package io.spillway.router.route;

import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ParsedRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.processor.api.Record;

/** Routing decision for an item whose delay is over, by the same rules as for a new item. */
public final class DueDecider implements Decider {
    private final ItemReader reader;
    private final ItemRules rules;

    /**
     * Creates a decider.
     *
     * @param reader reads records up to a lane's size limit, which is larger than that of ingress
     */
    public DueDecider(ItemReader reader, ItemRules rules) {
        this.reader = reader;
        this.rules = rules;
    }

    @Override
    public Decision decide(Record<byte[], byte[]> record, long nowMillis) {
        Headers headers = record.headers();
        return switch (reader.read(record.key(), record.value(), headers, record.timestamp())) {
            case ParsedRecord.Item item -> {
                long replayedAtMillis =
                        ItemHeaders.number(headers, ItemHeaders.REPLAYED_AT).orElse(ItemRules.NEVER_REPLAYED);
                yield withReason(rules.decide(item, replayedAtMillis, nowMillis), headers);
            }
            case ParsedRecord.Unreadable unreadable -> Decision.unreadable(
                    new Route.DeadLetter(unreadable.reason(), unreadable.detail()), true);
        };
    }

    private static Decision withReason(Decision decision, Headers headers) {
        if (!decision.route().equals(Route.HOT)) {
            return decision;
        }
        boolean wasTried = ItemHeaders.number(headers, ItemHeaders.ATTEMPT).orElse(0) > 0;
        return decision.with(wasTried ? Route.RETRIED : Route.DUE);
    }
}
