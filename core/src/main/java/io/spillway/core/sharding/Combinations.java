package io.spillway.core.sharding;

import java.math.BigInteger;

/** Exact binomial coefficients, and the packing bound for shards. */
public final class Combinations {
    private Combinations() {}

    /** Returns the number of ways to choose k of n, 0 or more: 0 ways when k is below 0 or above n. */
    public static BigInteger choose(int n, int k) {
        if (n < 0) {
            throw new IllegalArgumentException("n = " + n + ": must be 0 or more");
        }
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

    /**
     * Returns the maximum number of tenants of any assignment. Each tenant uses C(k, m+1) of the C(n, m+1) sets of m+1
     * slots alone.
     *
     * @param slots     n, 1 or more
     * @param perTenant k, 1 to n
     * @param overlap   m, 0 to k − 1
     */
    public static BigInteger packingBound(int slots, int perTenant, int overlap) {
        if (perTenant < 1 || perTenant > slots || overlap < 0 || overlap >= perTenant) {
            throw new IllegalArgumentException("perTenant = " + perTenant + ", slots = " + slots
                    + ", overlap = " + overlap
                    + ": perTenant must be from 1 to slots, overlap from 0 to perTenant - 1");
        }
        return choose(slots, overlap + 1).divide(choose(perTenant, overlap + 1));
    }
}
