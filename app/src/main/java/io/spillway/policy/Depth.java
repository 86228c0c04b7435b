package io.spillway.policy;

/**
 * A tenant's books as the router last wrote them down.
 *
 * @param books   not null
 * @param rates   how fast its items come and go, of the time when this was written
 * @param growing its long-term use, and the limit grown from it, of the same time
 * @param upTo    all entries of the tenant's partition of the ledger below this offset are in the books
 */
public record Depth(TenantBooks books, FlowRates rates, GrowingLimit growing, long upTo) {
    /** When all that waits is gone at the rates of this time. */
    public Drain drain(long nowMillis) {
        return Drain.of(books.waiting(), rates.at(nowMillis));
    }

    /**
     * Whether the last of what waits will be past its time to live before it is handled, at the rates of this time.
     *
     * @param policy    the tenant's, not null
     * @param nowMillis epoch milliseconds
     */
    public boolean isLate(TenantPolicy policy, long nowMillis) {
        return drain(nowMillis).isLaterThan(policy.ttlMillis());
    }
}
