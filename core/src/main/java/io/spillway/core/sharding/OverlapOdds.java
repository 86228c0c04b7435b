package io.spillway.core.sharding;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;

/**
 * Exact distribution (hypergeometric) of the slots that two independently drawn shards share. Immutable.
 *
 * @param slots     n, 1 or more
 * @param perTenant k, 1 to n
 */
public record OverlapOdds(int slots, int perTenant) {
    /** @throws IllegalArgumentException when a value is out of its range */
    public OverlapOdds {
        if (slots < 1 || perTenant < 1 || perTenant > slots) {
            throw new IllegalArgumentException(
                    "perTenant = " + perTenant + ", slots = " + slots + ": perTenant must be from 1 to slots");
        }
    }

    /** Returns the number of shards: C(n,k). */
    public BigInteger shards() {
        return Combinations.choose(slots, perTenant);
    }

    /**
     * Returns the number of shards that share exactly i slots with a given one: C(k,i) C(n−k, k−i); 0 when impossible.
     */
    public BigInteger shardsSharing(int shared) {
        return Combinations.choose(perTenant, shared)
                .multiply(Combinations.choose(slots - perTenant, perTenant - shared));
    }

    /** Returns the probability that two tenants share exactly this many slots, rounded to the nearest double. */
    public double chance(int shared) {
        return new BigDecimal(shardsSharing(shared))
                .divide(new BigDecimal(shards()), MathContext.DECIMAL64).doubleValue();
    }
}
