package io.spillway.core.routing;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.DropReason;
import io.spillway.core.policy.TenantPolicy;
import java.util.Optional;

/**
 * First limit that an unfinished item will meet.
 *
 * @param atMillis when, epoch milliseconds
 * @param reason   label of the {@link DropReason} or {@link DeadReason}
 */
public record ItemEnd(long atMillis, String reason) {
    /** Returns the end of an item, with the parameters of {@link RoutingRules#route}; empty for never. */
    public static Optional<ItemEnd> of(boolean attempted, long freshSinceMillis, TenantPolicy policy) {
        long endMillis = RoutingRules.endMillis(attempted, freshSinceMillis, policy);
        // Items up to their time to live are handled, and those at their end are not.
        if (policy.ttlMillis() < endMillis - freshSinceMillis) {
            return Optional.of(new ItemEnd(freshSinceMillis + policy.ttlMillis(), DropReason.TTL.label()));
        }
        return endMillis == Long.MAX_VALUE ? Optional.empty()
                : Optional.of(new ItemEnd(
                        endMillis, (attempted ? DeadReason.RETRY_TIME_OVER : DeadReason.EXPIRED).label()));
    }
}
