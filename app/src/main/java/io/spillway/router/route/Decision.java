package io.spillway.router.route;

import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemHeaders;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Headers;

/**
 * Outcome of routing one record.
 *
 * @param tenant             the item's tenant; without a name for a record that could not be read
 * @param route              lane, drop or dead letter
 * @param hasInternalHeaders whether the record has headers that only Spillway may set, which must be removed
 * @param correctedAtMillis  enqueue time to write to an item whose own time is implausible, or {@link #UNCHANGED}.
 *                           Without it such an item would count as new after every move and never age
 * @param partition          partition of the lane, or {@link PartitionedValue#ANY}
 * @param requestsShard      whether to request a shard for the tenant
 */
public record Decision(
        TenantContext tenant, Route route, boolean hasInternalHeaders, long correctedAtMillis, int partition,
        boolean requestsShard) {
    static final long UNCHANGED = Long.MIN_VALUE;

    private static final TenantContext NO_TENANT =
            TenantContext.of("", 0, TenantPolicy.of(PolicySettings.NONE_SET));

    /** A decision without a partition. */
    Decision(TenantContext tenant, Route route, boolean hasInternalHeaders, long correctedAtMillis) {
        this(tenant, route, hasInternalHeaders, correctedAtMillis, PartitionedValue.ANY, false);
    }

    /** Returns the decision for a record that could not be read. */
    public static Decision unreadable(Route.DeadLetter route, boolean hasInternalHeaders) {
        return new Decision(NO_TENANT, route, hasInternalHeaders, UNCHANGED);
    }

    /** Returns the same decision with another route: to the same lane, or to dead-letter. */
    Decision with(Route other) {
        return new Decision(tenant, other, hasInternalHeaders, correctedAtMillis, partition, requestsShard);
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
