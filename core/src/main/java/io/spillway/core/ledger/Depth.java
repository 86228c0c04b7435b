package io.spillway.core.ledger;

import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.GrowingLimit;

/**
 * A tenant's books as the router last wrote them down.
 *
 * @param books   not null
 * @param rates   how fast its items come and go, of the time when this was written
 * @param growing its long-term use, and the limit grown from it, of the same time
 * @param upTo    all entries of the tenant's partition of the ledger below this offset are in the books
 */
public record Depth(TenantBalance books, FlowRates rates, GrowingLimit growing, long upTo) {
    /** What goes within a second is on its way: a tenant whose items come as fast as they go always has some, and no backlog. */
    private static final double ON_THEIR_WAY_SECONDS = 1;

    /** When all that waits is gone at the rates of this time. */
    public Drain drain(long nowMillis) {
        return Drain.of(books.waiting(), rates.at(nowMillis));
    }

    /**
     * Whether there is a backlog that will be gone later than its items' time to live, at the rates of this time.
     *
     * @param policy    the tenant's, not null
     * @param nowMillis epoch milliseconds
     */
    public boolean isLate(TenantPolicy policy, long nowMillis) {
        FlowRates now = rates.at(nowMillis);
        return books.waiting() > now.outPerSecond() * ON_THEIR_WAY_SECONDS
                && Drain.of(books.waiting(), now).isLaterThan(policy.ttlMillis());
    }
}
