package io.spillway.router.delay;

import io.spillway.core.item.ClockSteps;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.RetrySettings;
import io.spillway.core.routing.RoutingRules;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * What the delay stages of a process need for retries, beside the items.
 *
 * @param settings    of the budgets
 * @param policies    returns a tenant's policy in force
 * @param mailboxes   pass the workers' reports to the stages
 * @param aheadMillis by how much the clock went forward at once, 0 or more; read only for an item at its end
 */
public record RetryRules(
        RetrySettings settings, Function<String, TenantPolicy> policies, AttemptMailboxes mailboxes,
        LongSupplier aheadMillis) {
    /** Returns when an item ends although it waits, epoch milliseconds; {@link Long#MAX_VALUE} for never. */
    long endMillis(DelayedItem item, long nowMillis) {
        TenantPolicy policy = policies.apply(item.key().tenant());
        long endMillis = RoutingRules.endMillis(item.attempts() > 0, item.freshSinceMillis(), policy);
        // When the step no longer counts, the item is looked at again.
        return endMillis > nowMillis ? endMillis
                : Math.min(endMillis + aheadMillis.getAsLong(), nowMillis + ClockSteps.HOLD_MILLIS);
    }
}
