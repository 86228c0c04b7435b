package io.spillway.worker;

import io.spillway.core.engine.ItemPolicies;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.Route;
import io.spillway.core.routing.RoutingRules;
import io.spillway.kafka.codec.HeaderNumber;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;

/** Reads items from records of a lane, and knows the policies and sweeps in force for them. */
final class ItemGate implements ItemPolicies<LaneItem> {
    /** Of attempts and moves: far more than there can be. */
    private static final int MAX_COUNT = 1_000_000;

    private final ItemReader reader;
    private final TenantPolicies policies;
    private final Sweeps sweeps;
    private final LedgerOwner owners = new LedgerOwner();

    /** What a record of a lane is. */
    sealed interface Read {
        record Item(LaneItem item) implements Read {}

        /**
         * No item.
         *
         * @param tenant in whose books it is all the same
         */
        record Bad(ConsumerRecord<byte[], byte[]> record, Route.DeadLetter why, String tenant) implements Read {}
    }

    ItemGate(ItemReader reader, TenantPolicies policies, Sweeps sweeps) {
        this.reader = reader;
        this.policies = policies;
        this.sweeps = sweeps;
    }

    /** Reads a record; what the router would not have let through is bad here too. */
    Read read(OwnedPartition home, ConsumerRecord<byte[], byte[]> record, long nowMillis) {
        return switch (reader.read(record.key(), record.value(), record.headers(), record.timestamp())) {
            case ParsedRecord.Unreadable bad -> new Read.Bad(
                    record, new Route.DeadLetter(bad.reason(), bad.detail()),
                    owners.of(record.key(), record.value(), record.headers()));
            case ParsedRecord.Item item -> new Read.Item(laneItem(home, record, item, nowMillis));
        };
    }

    @Override
    public TenantPolicy policyOf(LaneItem item) {
        return policies.of(item.tenant());
    }

    @Override
    public long sweptBeforeMillis(LaneItem item, long nowMillis) {
        return sweeps.coveredBeforeMillis(item.tenant(), nowMillis);
    }

    private static LaneItem laneItem(
            OwnedPartition home, ConsumerRecord<byte[], byte[]> record, ParsedRecord.Item read, long nowMillis) {
        long enqueuedAtMillis = RoutingRules.isPlausible(read.enqueuedAtMillis(), nowMillis)
                ? read.enqueuedAtMillis()
                : nowMillis;
        ParsedRecord.Item item = new ParsedRecord.Item(
                read.tenant(), enqueuedAtMillis, read.workload(), read.hasInternalHeaders());
        Headers headers = record.headers();
        long replayedAtMillis = HeaderNumber.of(headers, ItemHeaders.REPLAYED_AT).orElse(0);
        return new LaneItem(home, record, item,
                count(headers, ItemHeaders.ATTEMPT), count(headers, ItemHeaders.MOVES),
                headers.lastHeader(ItemHeaders.FIRST_ATTEMPT_AT) != null,
                Math.max(enqueuedAtMillis, Math.min(replayedAtMillis, nowMillis)));
    }

    private static int count(Headers headers, String name) {
        return Math.clamp(HeaderNumber.of(headers, name).orElse(0), 0, MAX_COUNT);
    }
}
