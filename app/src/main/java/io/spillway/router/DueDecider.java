package io.spillway.router;

import io.spillway.policy.Route;
import io.spillway.topic.HeaderNumber;
import io.spillway.topic.ItemHeaders;
import io.spillway.topic.ItemReader;
import io.spillway.topic.ItemReading;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.processor.api.Record;

/** Decides on an item whose time in the delay lane is over, in the same routing order as for a fresh one. */
final class DueDecider implements Decider {
    private final ItemReader reader;
    private final ItemRules rules;

    /**
     * Makes a decider.
     *
     * @param reader of records as large as a lane takes, which is more than ingress takes
     */
    DueDecider(ItemReader reader, ItemRules rules) {
        this.reader = reader;
        this.rules = rules;
    }

    @Override
    public Decision decide(Record<byte[], byte[]> record, long nowMillis) {
        Headers headers = record.headers();
        return switch (reader.read(record.key(), record.value(), headers, record.timestamp())) {
            case ItemReading.Item item -> {
                long replayedAtMillis =
                        HeaderNumber.of(headers, ItemHeaders.REPLAYED_AT).orElse(ItemRules.NEVER_REPLAYED);
                yield withReason(rules.decide(item, replayedAtMillis, nowMillis), headers);
            }
            case ItemReading.Unreadable unreadable -> Decision.unreadable(
                    new Route.DeadLetter(unreadable.reason(), unreadable.detail()), true);
        };
    }

    private static Decision withReason(Decision decision, Headers headers) {
        if (!decision.route().equals(Route.HOT)) {
            return decision;
        }
        boolean wasTried = HeaderNumber.of(headers, ItemHeaders.ATTEMPT).orElse(0) > 0;
        return decision.with(wasTried ? Route.RETRIED : Route.DUE);
    }
}
