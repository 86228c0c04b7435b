package io.spillway.core.sharding;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;

/**
 * How many slots two tenants share whose shards are drawn independently: the hypergeometric distribution, exact.
 * Immutable.
 *
 * @param slots     n, 1 or more
 * @param perTenant k, 1 to n
 */
public record OverlapOdds(int slots, int perTenant) {
    /** @throws IllegalArgumentException when a number is out of its range */
    public OverlapOdds {
        if (slots < 1 || perTenant < 1 || perTenant > slots) {
            throw new IllegalArgumentException(perTenant + " of " + slots + " slots: must be 1 or more, and no more than there are");
        }
    }

    /** All shards there are: C(n,k). */
    public BigInteger shards() {
        return Combinations.choose(slots, perTenant);
    }

    /**
     * The shards that share just so many slots with a given one: C(k,i) C(n−k, k−i).
     *
     * @param shared i, any; 0 shards when it cannot be
     */
    public BigInteger shardsSharing(int shared) {
        return Combinations.choose(perTenant, shared).multiply(Combinations.choose(slots - perTenant, perTenant - shared));
    }

    /**
     * The chance that two tenants share just so many slots: the exact ratio rounded to the nearest double.
     *
     * @param shared any
     */
    public double chance(int shared) {
        return new BigDecimal(shardsSharing(shared))
                .divide(new BigDecimal(shards()), MathContext.DECIMAL64).doubleValue();
    }
}
