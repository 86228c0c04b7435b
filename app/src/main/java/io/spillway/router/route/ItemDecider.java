package io.spillway.router.route;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.policy.Subscription;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.routing.ItemPlacement.Placed;
import io.spillway.core.routing.ItemRouter;
import io.spillway.core.routing.ItemTimes;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.HeldBytes;
import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.KeyHash;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.codec.Turn;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Routing decision for a record of ingress, or for an item whose delay is over: reads it and asks {@link ItemRouter}.
 * The reader of due items needs a lane's limits, which are larger than those of ingress.
 *
 * <p>An item with an order key, or whose id counts once, first goes to the partition of the delay lane that knows the
 * ones before it. It is decided on again when its turn has come.
 *
 * @param partitions of the delay lane
 */
public record ItemDecider(
        ItemReader reader, TenantPolicies policies, Sweeps sweeps, ItemRouter router, RouterMetrics metrics,
        int partitions, boolean isDue) implements Decider {
    private static final ItemDecoder DECODER = new ItemDecoder();

    @Override
    public Decision decide(Record<byte[], byte[]> record, long nowMillis) {
        Headers headers = record.headers();
        return switch (reader.read(record.key(), record.value(), headers, record.timestamp())) {
            case ParsedRecord.Item item when isCancelled(item, record, nowMillis) -> decision(
                    item, policies.context(item.tenant()), new Placed(Route.CANCELLED, Placed.ANYWHERE),
                    Decision.UNCHANGED);
            case ParsedRecord.Item item when isDue -> {
                ItemTimes times = ItemHeaders.times(item, headers, record.timestamp(), nowMillis);
                // What was only in turn is as fresh as it was.
                ItemTimes due = Sequenced.isInTurn(headers) ? times
                        : times.due(ItemHeaders.number(headers, ItemHeaders.DUE).orElse(0), false, nowMillis);
                yield decide(item, record, due.waited(nowMillis), nowMillis);
            }
            case ParsedRecord.Item item when item.deliverAtMillis() == ParsedRecord.Item.NO_TIME ->
                    Decision.unreadable(new Route.DeadLetter(DeadReason.BAD_DELIVER_AT,
                            "'" + ItemHeaders.text(headers, ItemHeaders.DELIVER_AT).orElse("")
                                    + "' is not epoch milliseconds (" + ItemHeaders.DELIVER_AT + ")"),
                            item.hasInternalHeaders());
            // Internal headers are not the producer's to set.
            case ParsedRecord.Item item -> decide(item, record, ItemTimes
                    .entered(item.enqueuedAtMillis(), record.timestamp(), nowMillis)
                    .deliverAt(item.deliverAtMillis(), nowMillis), nowMillis);
            case ParsedRecord.Unreadable unreadable -> Decision.unreadable(
                    new Route.DeadLetter(unreadable.reason(), unreadable.detail()),
                    isDue || unreadable.hasInternalHeaders());
        };
    }

    private Decision decide(
            ParsedRecord.Item item, Record<byte[], byte[]> record, ItemTimes times, long nowMillis) {
        long claimedMillis = item.enqueuedAtMillis();
        boolean isPlausible = claimedMillis == times.enqueuedAtMillis();
        if (!times.attempted()) {
            metrics.entered(item.tenant(), claimedMillis, times.enteredAtMillis());
        }
        if (!isPlausible) {
            metrics.clockSkew(item.tenant(), claimedMillis, nowMillis);
        }
        TenantContext tenant = policies.context(item.tenant(), item.workload());
        if (item.isSequenced() && !(isDue && Turn.hasPassed(record.headers()))) {
            Optional<Placed> first = sequence(item, record, tenant, times, nowMillis);
            if (first.isPresent()) {
                return decision(item, tenant, first.get(), correctedAtMillis(item, times));
            }
        }
        Optional<Decision> fanOut = times.attempted() || Subscription.isDelivery(item.workload()) ? Optional.empty()
                : fanOut(item, record, tenant, times, nowMillis);
        if (fanOut.isPresent()) {
            return fanOut.get();
        }
        Placed placed = place(tenant, item.workload(), record.headers(), times, nowMillis);
        return decision(item, tenant, placed, correctedAtMillis(item, times));
    }

    /**
     * Returns where an item goes before its turn has come; empty if that does not matter, because it is scheduled, or
     * ends now and its id does not count.
     */
    private Optional<Placed> sequence(
            ParsedRecord.Item item, Record<byte[], byte[]> record, TenantContext tenant, ItemTimes times,
            long nowMillis) {
        Optional<Route.DeadLetter> problem = Sequenced.problem(item, record);
        if (problem.isPresent()) {
            return Optional.of(new Placed(problem.get(), Placed.ANYWHERE));
        }
        Optional<Route> early = router.early(tenant, item.workload(), times, nowMillis);
        Sequenced sequenced = Sequenced.of(item, record);
        boolean waitsForItsTurn = early.isEmpty() || early.get().equals(Route.PAUSED) || early.get().equals(Route.AGED)
                || sequenced.id().isPresent() && !early.get().equals(Route.SCHEDULED);
        return waitsForItsTurn && !sequenced.isEmpty()
                ? Optional.of(new Placed(Route.ORDERED, sequenced.partition(partitions))) : Optional.empty();
    }

    private Placed place(
            TenantContext tenant, String workload, Headers headers, ItemTimes times, long nowMillis) {
        Placed placed = router.route(tenant, workload, times, nowMillis);
        return placed.route() instanceof Route.ToLane to && to.lane() == Lane.OVERFLOW
                && ItemHeaders.priority(headers) >= ItemLimits.URGENT_PRIORITY
                ? router.urgent(tenant, workload, times, placed, nowMillis) : placed;
    }

    private static long correctedAtMillis(ParsedRecord.Item item, ItemTimes times) {
        return item.enqueuedAtMillis() == times.enqueuedAtMillis() ? Decision.UNCHANGED : times.enqueuedAtMillis();
    }

    /** Decides on the deliveries of an item that may start now; on many in the delay stage, step by step. */
    private Optional<Decision> fanOut(
            ParsedRecord.Item item, Record<byte[], byte[]> record, TenantContext tenant, ItemTimes times,
            long nowMillis) {
        Headers headers = record.headers();
        NavigableMap<String, Subscription> all = policies.subscriptions(item.tenant());
        FanOut.Cursor cursor = isDue ? FanOut.Cursor.of(headers) : FanOut.Cursor.BEGIN;
        if (all.isEmpty() && cursor.made() == 0) {
            return Optional.empty();
        }
        Subscription.Page page = Subscription.matching(
                all, item.workload(), cursor.after(), FanOut.most(HeldBytes.of(record.key(), record.value(), headers)));
        boolean hasNone = cursor.made() == 0 && page.found().isEmpty() && page.next().isEmpty();
        if (hasNone || router.early(tenant, item.workload(), times, nowMillis)
                .filter(early -> !early.equals(Route.AGED)).isPresent()) {
            return Optional.empty();
        }
        Placed rest = new Placed(Route.FAN_OUT, Placed.ANYWHERE);
        if (!isDue && page.next().isPresent()) {
            return Optional.of(decision(item, tenant, rest, correctedAtMillis(item, times)));
        }
        // What has waited for its step has not waited for a time that anybody set. What was paused counts from then.
        boolean wasPaused = ItemHeaders.text(headers, ItemHeaders.LANE_REASON)
                .filter(LaneReason.PAUSED.label()::equals).isPresent();
        ItemTimes own = new ItemTimes(times.enqueuedAtMillis(), times.enteredAtMillis(), times.ageSinceMillis(),
                wasPaused ? times.dueMillis() : 0, false);
        List<FanOut.Delivery> deliveries = page.found().stream().map(subscription -> new FanOut.Delivery(
                subscription, deliver(item, record, subscription, own, nowMillis))).toList();
        return Optional.of(new Decision(tenant, rest, item.hasInternalHeaders(), Decision.UNCHANGED,
                Optional.of(new FanOut(item, deliveries, page.next().map(name ->
                        new FanOut.Cursor(cursor.made() + deliveries.size(), name))))));
    }

    private Decision deliver(
            ParsedRecord.Item item, Record<byte[], byte[]> record, Subscription subscription, ItemTimes times,
            long nowMillis) {
        TenantContext tenant = policies.context(item.tenant(), subscription.workload());
        Optional<KeyHash> order = item.isSequenced()
                ? Sequenced.of(item, record, subscription.workload()).key() : Optional.empty();
        Placed placed = order.map(key -> new Placed(Route.ORDERED, key.partition(partitions)))
                .orElseGet(() -> place(tenant, subscription.workload(), record.headers(), times, nowMillis));
        metrics.sidelined(item.tenant(), placed.route());
        return new Decision(tenant, placed, false, correctedAtMillis(item, times));
    }

    private Decision decision(ParsedRecord.Item item, TenantContext tenant, Placed placed, long correctedAtMillis) {
        metrics.sidelined(item.tenant(), placed.route());
        return new Decision(tenant, placed, item.hasInternalHeaders(), correctedAtMillis);
    }

    private boolean isCancelled(ParsedRecord.Item item, Record<byte[], byte[]> record, long nowMillis) {
        return sweeps.hasCancels(item.tenant()) && sweeps.isCancelled(
                item.tenant(), item.workload(),
                ItemHeaders.cancellableSinceMillis(record.headers(), record.timestamp()), nowMillis,
                () -> DECODER.id(item, record.value(), record.headers(), originOf(record.headers())));
    }

    /** Empty for a record of ingress: if it has no id, the worker knows it by the position that it has there. */
    private static String originOf(Headers headers) {
        return Origin.of(headers).map(origin -> new String(origin.bytes(), StandardCharsets.ISO_8859_1)).orElse("");
    }
}
