package io.spillway.router;

import io.spillway.policy.Route;
import io.spillway.topic.ItemReader;
import io.spillway.topic.ItemReading;
import org.apache.kafka.streams.processor.api.Record;

/** Decides on a record that a producer has written to ingress. */
final class IngressDecider implements Decider {
    private final ItemReader reader;
    private final ItemRules rules;

    IngressDecider(ItemReader reader, ItemRules rules) {
        this.reader = reader;
        this.rules = rules;
    }

    @Override
    public Decision decide(Record<byte[], byte[]> record, long nowMillis) {
        return switch (reader.read(record.key(), record.value(), record.headers(), record.timestamp())) {
            case ItemReading.Item item -> rules.decide(item, ItemRules.NEVER_REPLAYED, nowMillis);
            case ItemReading.Unreadable unreadable -> Decision.unreadable(
                    new Route.DeadLetter(unreadable.reason(), unreadable.detail()),
                    unreadable.hasInternalHeaders());
        };
    }
}
