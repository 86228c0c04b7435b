package io.spillway.worker;

import io.spillway.core.engine.EngineItem;
import io.spillway.core.engine.ItemPolicies;
import io.spillway.core.item.LaneReason;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.ItemTimes;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.HeldBytes;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/** Reader of items from lane records, with the policies and sweeps that apply to them. */
final class ItemGate implements ItemPolicies<LaneItem> {
    /** Limit for the attempts and moves in headers, far above real values. */
    private static final int MAX_COUNT = 1_000_000;
    /** Limits for the blame and the wait; a policy allows at most 1,000,000 attempts and a wait of a day. */
    private static final int MAX_BLAME = Integer.MAX_VALUE;
    private static final long MAX_WAIT_MILLIS = 86_400_000;

    private static final long WAS_DUE_AFTER_MILLIS = 1_000;
    private static final byte[] DUE = LaneReason.DUE.label().getBytes(StandardCharsets.US_ASCII);

    private final ItemReader reader;
    private final TenantPolicies policies;
    private final Sweeps sweeps;
    private final Predicate<LaneItem> isMisplaced;
    private final LongSupplier clockAheadMillis;
    private final LedgerOwner owners = new LedgerOwner();

    /** @param isMisplaced as {@link ItemPolicies#isMisplaced} */
    ItemGate(
            ItemReader reader, TenantPolicies policies, Sweeps sweeps, Predicate<LaneItem> isMisplaced,
            LongSupplier clockAheadMillis) {
        this.reader = reader;
        this.policies = policies;
        this.sweeps = sweeps;
        this.isMisplaced = isMisplaced;
        this.clockAheadMillis = clockAheadMillis;
    }

    /** Reads the records of one poll of a partition. */
    List<LaneItem> readAll(OwnedPartition.Polled batch, long nowMillis) {
        return batch.records().stream().map(record -> read(batch.partition(), record, nowMillis)).toList();
    }

    /** Reads a record by the rules of the router. The balance of its owner counts an unreadable one. */
    LaneItem read(OwnedPartition owned, ConsumerRecord<byte[], byte[]> record, long nowMillis) {
        return switch (reader.read(record.key(), record.value(), record.headers(), record.timestamp())) {
            case ParsedRecord.Unreadable bad -> new LaneItem(
                    owned, record, new ParsedRecord.Item(
                            owners.of(record.key(), record.value(), record.headers()), record.timestamp(), "", false),
                    new ItemTimes(record.timestamp(), 0, 0, 0, false), 0, 0, 0, 0, 0, false, 0, 0, 0,
                    Optional.of(new Route.DeadLetter(bad.reason(), bad.detail())));
            case ParsedRecord.Item item -> laneItem(owned, record, item, nowMillis);
        };
    }

    @Override
    public TenantPolicy policyOf(LaneItem item) {
        return policies.of(item.tenant(), item.read().workload());
    }

    @Override
    public long sweptBeforeMillis(String tenant, String workload, long marginMillis, long nowMillis) {
        return sweeps.coveredBeforeMillis(tenant, workload, marginMillis, nowMillis);
    }

    @Override
    public boolean isMisplaced(LaneItem item) {
        return isMisplaced.test(item);
    }

    @Override
    public boolean isCancelled(LaneItem item, long nowMillis) {
        return sweeps.hasCancels(item.tenant()) && sweeps.isCancelled(
                item.tenant(), item.read().workload(),
                ItemHeaders.cancellableSinceMillis(item.record().headers(), item.times().enteredAtMillis()), nowMillis,
                item::id);
    }

    @Override
    public long clockAheadMillis() {
        return clockAheadMillis.getAsLong();
    }

    private LaneItem laneItem(
            OwnedPartition owned, ConsumerRecord<byte[], byte[]> record, ParsedRecord.Item item, long nowMillis) {
        Headers headers = record.headers();
        ItemTimes times = ItemHeaders.times(item, headers, record.timestamp(), nowMillis).waited(nowMillis);
        long dueMillis = ItemHeaders.number(headers, ItemHeaders.DUE).orElse(0);
        return new LaneItem(owned, record, item, times, count(headers, ItemHeaders.ATTEMPT),
                count(headers, ItemHeaders.MOVES), ItemHeaders.priority(headers),
                (int) number(headers, ItemHeaders.BLAME, MAX_BLAME), number(headers, ItemHeaders.WAIT, MAX_WAIT_MILLIS),
                headers.lastHeader(ItemHeaders.FIRST_ATTEMPT_AT) != null, dueMillis,
                waitsSinceMillis(headers, times, dueMillis, nowMillis),
                HeldBytes.of(record.key(), record.value(), headers), Optional.empty());
    }

    private static long waitsSinceMillis(Headers headers, ItemTimes times, long dueMillis, long nowMillis) {
        if (times.attempted()) {
            return EngineItem.ATTEMPTED;
        }
        if (dueMillis != 0) {
            return Math.max(times.ageSinceMillis(), Math.min(dueMillis, nowMillis));
        }
        return wasDue(headers, times.ageSinceMillis(), nowMillis) ? nowMillis : times.ageSinceMillis();
    }

    /** Returns whether an item has waited for a due time that is lost. An item that is nearly new needs no look. */
    private static boolean wasDue(Headers headers, long freshSinceMillis, long nowMillis) {
        if (nowMillis - freshSinceMillis < WAS_DUE_AFTER_MILLIS) {
            return false;
        }
        Header reason = headers.lastHeader(ItemHeaders.LANE_REASON);
        return reason != null && Arrays.equals(reason.value(), DUE);
    }

    private static int count(Headers headers, String name) {
        return (int) number(headers, name, MAX_COUNT);
    }

    private static long number(Headers headers, String name, long most) {
        return Math.clamp(ItemHeaders.number(headers, name).orElse(0), 0L, most);
    }
}
