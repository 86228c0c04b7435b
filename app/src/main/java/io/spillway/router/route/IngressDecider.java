package io.spillway.router.route;

import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ParsedRecord;
import org.apache.kafka.streams.processor.api.Record;

/** Routing decision for a record that a producer wrote to ingress. */
public final class IngressDecider implements Decider {
    private final ItemReader reader;
    private final ItemRules rules;

    public IngressDecider(ItemReader reader, ItemRules rules) {
        this.reader = reader;
        this.rules = rules;
    }

    @Override
    public Decision decide(Record<byte[], byte[]> record, long nowMillis) {
        return switch (reader.read(record.key(), record.value(), record.headers(), record.timestamp())) {
            case ParsedRecord.Item item -> rules.decide(item, ItemRules.NEVER_REPLAYED, nowMillis);
            case ParsedRecord.Unreadable unreadable -> Decision.unreadable(
                    new Route.DeadLetter(unreadable.reason(), unreadable.detail()),
                    unreadable.hasInternalHeaders());
        };
    }
}
