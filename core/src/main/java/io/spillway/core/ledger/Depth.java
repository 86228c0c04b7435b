package io.spillway.core.ledger;

import io.spillway.core.policy.GrowthRule;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.GrowingLimit;
import java.util.Optional;

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
    /** One item within the memory of the rates: a slower flow is not told from none. */
    private static final double LEAST_PER_SECOND = 1e3 / FlowRates.MOST_MEMORY_MILLIS;

    /** Returns when what waits for a worker is gone at the rates of this time. */
    public Drain drain(long nowMillis) {
        return Drain.of(balance.waitingForWorkers(), rates.at(nowMillis));
    }

    /**
     * Returns whether what waits for a worker will be gone only after its items' time to live, or its items will
     * expire, at the rates of this time; false for a paused tenant.
     */
    public boolean isLate(TenantPolicy policy, long nowMillis) {
        FlowRates now = rates.at(nowMillis);
        long waiting = balance.waitingForWorkers();
        return !policy.paused() && waiting > now.outPerSecond() * IN_TRANSIT_SECONDS
                && (Drain.of(waiting, now).isLaterThan(policy.ttlMillis()) || willExpire(policy, now));
    }

    /** The last item waits for those before it, whatever comes behind it. */
    private boolean willExpire(TenantPolicy policy, FlowRates now) {
        double perSecond = Math.max(now.outPerSecond(), LEAST_PER_SECOND);
        return balance.waitingForWorkers() * 1e3 > perSecond * policy.expireAfterMillis();
    }

    /**
     * Returns whether nothing is lost when the tenant's balance becomes part of a sum: its items are all done or
     * dropped, it has not changed for some time, and no limit has grown from its use.
     *
     * @param idleMillis time without a change, 1 or more
     * @param growth     growth rule of the tenant's limit, if it has one
     */
    public boolean isIdle(long idleMillis, long nowMillis, Optional<GrowthRule> growth) {
        long sinceMillis = nowMillis - rates.atMillis();
        return sinceMillis >= idleMillis && balance.isSettled() && growth.stream().allMatch(rule ->
                growing.after(0, sinceMillis, growth).inForce(rule) <= GrowingLimit.NONE.inForce(rule));
    }
}
