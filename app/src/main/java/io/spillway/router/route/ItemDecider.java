package io.spillway.router.route;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.routing.ItemPlacement.Placed;
import io.spillway.core.routing.ItemRouter;
import io.spillway.core.routing.ItemTimes;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Routing decision for a record of ingress, or for an item whose delay is over: reads it and asks {@link ItemRouter}.
 * The reader of due items needs a lane's limits, which are larger than those of ingress.
 */
public record ItemDecider(
        ItemReader reader, TenantPolicies policies, Sweeps sweeps, ItemRouter router, RouterMetrics metrics,
        boolean isDue) implements Decider {
    private static final ItemDecoder DECODER = new ItemDecoder();

    @Override
    public Decision decide(Record<byte[], byte[]> record, long nowMillis) {
        Headers headers = record.headers();
        return switch (reader.read(record.key(), record.value(), headers, record.timestamp())) {
            case ParsedRecord.Item item when isCancelled(item, record, nowMillis) -> decision(
                    item, policies.context(item.tenant()), new Placed(Route.CANCELLED, Placed.ANYWHERE),
                    Decision.UNCHANGED);
            case ParsedRecord.Item item when isDue -> decide(item, headers, ItemHeaders
                    .times(item, headers, record.timestamp(), nowMillis)
                    .due(ItemHeaders.number(headers, ItemHeaders.DUE).orElse(0), false, nowMillis).waited(nowMillis),
                    nowMillis);
            case ParsedRecord.Item item when item.deliverAtMillis() == ParsedRecord.Item.NO_TIME ->
                    Decision.unreadable(new Route.DeadLetter(DeadReason.BAD_DELIVER_AT,
                            "'" + ItemHeaders.text(headers, ItemHeaders.DELIVER_AT).orElse("")
                                    + "' is not epoch milliseconds (" + ItemHeaders.DELIVER_AT + ")"),
                            item.hasInternalHeaders());
            // Internal headers are not the producer's to set.
            case ParsedRecord.Item item -> decide(item, headers, ItemTimes
                    .entered(item.enqueuedAtMillis(), record.timestamp(), nowMillis)
                    .deliverAt(item.deliverAtMillis(), nowMillis), nowMillis);
            case ParsedRecord.Unreadable unreadable -> Decision.unreadable(
                    new Route.DeadLetter(unreadable.reason(), unreadable.detail()),
                    isDue || unreadable.hasInternalHeaders());
        };
    }

    private Decision decide(ParsedRecord.Item item, Headers headers, ItemTimes times, long nowMillis) {
        long claimedMillis = item.enqueuedAtMillis();
        boolean isPlausible = claimedMillis == times.enqueuedAtMillis();
        if (!times.attempted()) {
            metrics.entered(item.tenant(), claimedMillis, times.enteredAtMillis());
        }
        if (!isPlausible) {
            metrics.clockSkew(item.tenant(), claimedMillis, nowMillis);
        }
        TenantContext tenant = policies.context(item.tenant());
        Placed placed = router.route(tenant, item.workload(), times, nowMillis);
        if (placed.route() instanceof Route.ToLane to && to.lane() == Lane.OVERFLOW
                && ItemHeaders.priority(headers) >= ItemLimits.URGENT_PRIORITY) {
            placed = router.urgent(tenant, item.workload(), times, placed, nowMillis);
        }
        return decision(item, tenant, placed,
                isPlausible ? Decision.UNCHANGED : times.enqueuedAtMillis());
    }

    private Decision decision(ParsedRecord.Item item, TenantContext tenant, Placed placed, long correctedAtMillis) {
        metrics.sidelined(item.tenant(), placed.route());
        return new Decision(tenant, placed, item.hasInternalHeaders(), correctedAtMillis);
    }

    private boolean isCancelled(ParsedRecord.Item item, Record<byte[], byte[]> record, long nowMillis) {
        return sweeps.hasCancels(item.tenant()) && sweeps.isCancelled(
                item.tenant(), item.workload(), record.timestamp(), nowMillis,
                () -> DECODER.id(item, record.value(), record.headers(), originOf(record.headers())));
    }

    /** Empty for a record of ingress: if it has no id, the worker knows it by the position that it has there. */
    private static String originOf(Headers headers) {
        return Origin.of(headers).map(origin -> new String(origin.bytes(), StandardCharsets.ISO_8859_1)).orElse("");
    }
}
