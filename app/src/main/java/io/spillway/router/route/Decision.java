package io.spillway.router.route;

import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.ItemPlacement.Placed;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.common.header.Headers;

/**
 * Outcome of routing one record.
 *
 * @param tenant             the item's tenant; without a name for a record that could not be read
 * @param placed             lane with its partition, drop or dead letter
 * @param hasInternalHeaders whether the record has headers that only Spillway may set, which must be removed
 * @param correctedAtMillis  enqueue time to write to an item whose own time is implausible, or {@link #UNCHANGED}.
 *                           Without it such an item would count as new after every move and never age
 * @param fanOut             deliveries that are made of it, instead of the route; empty for an item without
 */
public record Decision(
        TenantContext tenant, Placed placed, boolean hasInternalHeaders, long correctedAtMillis,
        Optional<FanOut> fanOut) {
    static final long UNCHANGED = Long.MIN_VALUE;

    private static final TenantContext NO_TENANT =
            TenantContext.of("", 0, TenantPolicy.of(PolicySettings.NONE_SET));

    /** Creates the decision on an item that no subscription gets. */
    public Decision(TenantContext tenant, Placed placed, boolean hasInternalHeaders, long correctedAtMillis) {
        this(tenant, placed, hasInternalHeaders, correctedAtMillis, Optional.empty());
    }

    /** Returns the decision for a record that could not be read. */
    public static Decision unreadable(Route.DeadLetter route, boolean hasInternalHeaders) {
        return new Decision(NO_TENANT, new Placed(route, Placed.ANYWHERE), hasInternalHeaders, UNCHANGED);
    }

    /** Returns the decision to drop an item whose headers stay as they are. */
    public static Decision drop(String tenant, TenantPolicy policy, Route.Drop drop) {
        return new Decision(TenantContext.of(tenant, 0, policy), new Placed(drop, Placed.ANYWHERE), false, UNCHANGED);
    }

    public Route route() {
        return placed.route();
    }

    public int partition() {
        return placed.partition();
    }

    /** Returns the same decision with a dead letter as the route. */
    Decision with(Route.DeadLetter dead) {
        return new Decision(tenant, new Placed(dead, Placed.ANYWHERE), hasInternalHeaders, correctedAtMillis);
    }

    /** Replaces the enqueue time in the item's headers if it is implausible. */
    public void correctEnqueuedAt(Headers headers) {
        if (correctedAtMillis != UNCHANGED) {
            headers.remove(ItemHeaders.ENQUEUED_AT);
            headers.add(
                    ItemHeaders.ENQUEUED_AT, Long.toString(correctedAtMillis).getBytes(StandardCharsets.ISO_8859_1));
        }
    }
}
