package io.spillway.policy;

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
        return ratio(shardsSharing(shared));
    }

    /**
     * The chance that two tenants share so many slots or more.
     *
     * @param shared any
     */
    public double chanceOfAtLeast(int shared) {
        BigInteger sum = BigInteger.ZERO;
        for (int i = Math.max(0, shared); i <= perTenant; i++) {
            sum = sum.add(shardsSharing(i));
        }
        return ratio(sum);
    }

    /**
     * The pairs among so many tenants that are to be expected to share so many slots or more.
     *
     * @param tenants 0 or more
     * @param shared  any
     */
    public double expectedPairs(int tenants, int shared) {
        return 0.5 * tenants * (tenants - 1.0) * chanceOfAtLeast(shared);
    }

    private double ratio(BigInteger part) {
        return new BigDecimal(part).divide(new BigDecimal(shards()), MathContext.DECIMAL64).doubleValue();
    }
}
