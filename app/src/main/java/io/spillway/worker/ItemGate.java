package io.spillway.worker;

import io.spillway.policy.Lane;
import io.spillway.policy.Route;
import io.spillway.policy.RoutingRules;
import io.spillway.policy.TenantPolicy;
import io.spillway.topic.ItemHeaders;
import io.spillway.topic.ItemReader;
import io.spillway.topic.ItemReading;
import io.spillway.topic.Sweeps;
import io.spillway.topic.TenantPolicies;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** Reads items from records of a lane, and checks again what time may have changed since the router looked. */
final class ItemGate {
    private final ItemReader reader;
    private final TenantPolicies policies;
    private final Sweeps sweeps;

    /** What a record of a lane is. */
    sealed interface Read {
        record Item(LaneItem item) implements Read {}

        record Bad(Route.DeadLetter why) implements Read {}
    }

    ItemGate(ItemReader reader, TenantPolicies policies, Sweeps sweeps) {
        this.reader = reader;
        this.policies = policies;
        this.sweeps = sweeps;
    }

    /** Reads a record; what the router would not have let through is bad here too. */
    Read read(OwnedPartition home, ConsumerRecord<byte[], byte[]> record, long nowMillis) {
        return switch (reader.read(record.key(), record.value(), record.headers(), record.timestamp())) {
            case ItemReading.Unreadable bad -> new Read.Bad(new Route.DeadLetter(bad.reason(), bad.detail()));
            case ItemReading.Item item -> new Read.Item(laneItem(home, record, item, nowMillis));
        };
    }

    /** The policy in force for a tenant. */
    TenantPolicy policyOf(String tenant) {
        return policies.of(tenant);
    }

    /** What time has made of an item: to be dropped, or in hot to be moved to aged; empty when it may be handled. */
    Optional<Route> staleness(LaneItem item, long nowMillis) {
        TenantPolicy policy = policies.of(item.tenant());
        long sweepStartMillis = policy.sweepable()
                ? sweeps.coveredBeforeMillis(item.tenant(), nowMillis)
                : RoutingRules.NO_SWEEP_MILLIS;
        return RoutingRules.staleness(item.enqueuedAtMillis(), item.freshSinceMillis(), policy, sweepStartMillis, nowMillis)
                .filter(route -> route instanceof Route.Drop || item.lane() == Lane.HOT);
    }

    private static LaneItem laneItem(
            OwnedPartition home, ConsumerRecord<byte[], byte[]> record, ItemReading.Item read, long nowMillis) {
        long enqueuedAtMillis = RoutingRules.isPlausible(read.enqueuedAtMillis(), nowMillis)
                ? read.enqueuedAtMillis()
                : nowMillis;
        ItemReading.Item item = new ItemReading.Item(
                read.tenant(), enqueuedAtMillis, read.workload(), read.hasInternalHeaders());
        String origin = null;
        long attempts = 0;
        long moves = 0;
        long replayedAtMillis = 0;
        boolean attemptedBefore = false;
        for (Header header : record.headers().toArray()) {
            switch (header.key()) {
                case ItemHeaders.ORIGIN -> origin = text(header);
                case ItemHeaders.ATTEMPT -> attempts = number(header);
                case ItemHeaders.MOVES -> moves = number(header);
                case ItemHeaders.REPLAYED_AT -> replayedAtMillis = number(header);
                case ItemHeaders.FIRST_ATTEMPT_AT -> attemptedBefore = true;
                default -> { }
            }
        }
        return new LaneItem(home, home.lane, record, item,
                origin == null ? record.topic() + "-" + record.partition() + "-" + record.offset() : origin,
                (int) Math.min(attempts, 1_000_000), (int) Math.min(moves, 1_000_000), attemptedBefore,
                Math.max(enqueuedAtMillis, Math.min(replayedAtMillis, nowMillis)));
    }

    private static String text(Header header) {
        return header.value() == null ? null : new String(header.value(), StandardCharsets.ISO_8859_1);
    }

    /** Our own headers are numbers; one that is not was not written by us and counts as 0. */
    private static long number(Header header) {
        byte[] digits = header.value();
        if (digits == null || digits.length == 0 || digits.length > 18) {
            return 0;
        }
        long number = 0;
        for (byte digit : digits) {
            if (digit < '0' || digit > '9') {
                return 0;
            }
            number = number * 10 + digit - '0';
        }
        return number;
    }
}
