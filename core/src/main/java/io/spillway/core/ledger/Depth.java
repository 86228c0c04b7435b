package io.spillway.core.ledger;

import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.GrowingLimit;

/**
 * Latest balance of a tenant, as written by the router.
 *
 * @param rates   flow rates at the time of writing
 * @param growing long-term use and the limit grown from it, of the same time
 * @param upTo    the balance includes all entries of the tenant's ledger partition below this offset
 */
public record Depth(TenantBalance balance, FlowRates rates, GrowingLimit growing, long upTo) {
    /** Items that leave within a second are in transit: a tenant without a backlog always has some. */
    private static final double IN_TRANSIT_SECONDS = 1;

    /** Returns when the backlog is gone at the rates of this time. */
    public Drain drain(long nowMillis) {
        return Drain.of(balance.waiting(), rates.at(nowMillis));
    }

    /** Returns whether the backlog will be gone only after its items' time to live, at the rates of this time. */
    public boolean isLate(TenantPolicy policy, long nowMillis) {
        FlowRates now = rates.at(nowMillis);
        return balance.waiting() > now.outPerSecond() * IN_TRANSIT_SECONDS
                && Drain.of(balance.waiting(), now).isLaterThan(policy.ttlMillis());
    }
}
