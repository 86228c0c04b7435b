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
        return choose(slots, perTenant);
    }

    /**
     * Returns the number of shards that share exactly i slots with a given one: C(k,i) C(n−k, k−i); 0 when impossible.
     */
    public BigInteger shardsSharing(int shared) {
        return choose(perTenant, shared)
                .multiply(choose(slots - perTenant, perTenant - shared));
    }

    /** Returns the probability that two tenants share exactly this many slots, rounded to the nearest double. */
    public double chance(int shared) {
        return new BigDecimal(shardsSharing(shared))
                .divide(new BigDecimal(shards()), MathContext.DECIMAL64).doubleValue();
    }

    /** Returns the number of ways to choose k of n, 0 or more: 0 ways when k is below 0 or above n. */
    static BigInteger choose(int n, int k) {
        if (k < 0 || k > n) {
            return BigInteger.ZERO;
        }
        BigInteger ways = BigInteger.ONE;
        for (int i = 1; i <= Math.min(k, n - k); i++) {
            // Divides without remainder: the result is C(n, i) after each step.
            ways = ways.multiply(BigInteger.valueOf(n - i + 1)).divide(BigInteger.valueOf(i));
        }
        return ways;
    }
}
