package io.spillway.core.sharding;

import io.spillway.core.hashing.TenantHash;

/**
 * Shards of numbered tenants, of which no two share more than m slots: a generalized code of Reed and Solomon (1960).
 *
 * <p>The slots are a table of rows, each of p slots, where p is the largest prime that fits. The number of a tenant is
 * a polynomial f of degree m or less over GF(p), and the tenant's slot in row r is r·p + (u·f(r) mod p), with a factor
 * u of the row that is not 0. Two tenants share a slot of a row only if their polynomials agree there, and two
 * different ones agree at m places or fewer, because their difference has at most m roots. The rows are different
 * places, because p is not smaller than their number. A tenant of fewer slots uses some of the rows, so the bound holds
 * for tenants of any sizes.
 *
 * <p>Load. The coefficients are the digits of the number to the base p, the last digit as the constant, each moved by a
 * hash of those before it, which is a bijection. So p consecutive numbers from a multiple of p on use every slot once
 * and share none. Without the factors, two of them whose constants differ by the number of partitions would have most
 * slots on the same partitions.
 *
 * <p>Immutable; thread-safe.
 */
public final class PolynomialShards {
    /** Maximum number of rows, and so of slots of a tenant. */
    public static final int MAX_ROWS = ShuffleSharder.MAX_SIZE;
    /** Number of a tenant without a number. */
    public static final long NONE = -1;

    private final int overlap;
    private final long seed;
    private final int width;
    private final long capacity;
    private final int[] factors;

    /**
     * Creates the table.
     *
     * @param slots   {@link #leastSlots} to {@link ShuffleSharder#MAX_SLOTS}; those beyond rows · p are not used
     * @param rows    most slots of a tenant, 1 to {@link #MAX_ROWS}
     * @param overlap m, the most slots that two tenants share: 0 to rows − 1
     * @param seed    as for {@link ShuffleSharder}
     */
    public PolynomialShards(int slots, int rows, int overlap, long seed) {
        if (rows < 1 || rows > MAX_ROWS || overlap < 0 || overlap >= rows) {
            throw new IllegalArgumentException("rows = " + rows + ", overlap = " + overlap
                    + ": rows must be from 1 to " + MAX_ROWS + ", overlap from 0 to rows - 1");
        }
        if (slots < leastSlots(rows) || slots > ShuffleSharder.MAX_SLOTS) {
            throw new IllegalArgumentException("slots = " + slots + ": must be from " + leastSlots(rows) + " to "
                    + ShuffleSharder.MAX_SLOTS + " with " + rows + " rows");
        }
        this.overlap = overlap;
        this.seed = seed;
        int prime = slots / rows;
        while (!isPrime(prime)) {
            prime--;
        }
        this.width = prime;
        long tenants = 1;
        for (int i = 0; i <= overlap; i++) {
            tenants = tenants > Long.MAX_VALUE / width ? Long.MAX_VALUE : tenants * width;
        }
        this.capacity = tenants;
        this.factors = new int[rows];
        for (int row = 0; row < rows; row++) {
            long random = TenantHash.mix(seed + (row + 1) * TenantHash.GOLDEN_RATIO);
            factors[row] = 1 + ShuffleSharder.below(random, width - 1);
        }
    }

    /** Returns the least number of slots for a number of rows: as many slots in a row as rows, and a prime number. */
    public static int leastSlots(int rows) {
        int prime = Math.max(2, rows);
        while (!isPrime(prime)) {
            prime++;
        }
        return rows * prime;
    }

    /** Returns the number of rows: the most slots of a tenant. */
    public int rows() {
        return factors.length;
    }

    /** Returns p, the number of slots in each row. */
    public int width() {
        return width;
    }

    /** Returns how many tenants have a shard: p to the power of m + 1, or {@link Long#MAX_VALUE} if that is more. */
    public long capacity() {
        return capacity;
    }

    /** Returns whether a number has a shard: 0 to capacity − 1. */
    public boolean has(long number) {
        return number >= 0 && number < capacity;
    }

    /**
     * Writes the slots of a tenant, in any order.
     *
     * @param number 0 to capacity − 1, different for each tenant
     * @param size   k, 1 to the number of rows; the shard of k slots is a part of that of k + 1
     * @param into   of length k or more
     */
    public void shard(long number, int size, int[] into) {
        if (!has(number) || size < 1 || size > rows()) {
            throw new IllegalArgumentException("number = " + number + ", size = " + size + ": number must be below "
                    + capacity + ", size from 1 to " + rows());
        }
        for (int i = 0; i < size; i++) {
            into[i] = 0;
        }
        // Where a tenant has not all rows, its number selects the first of them.
        int first = (int) (number % rows());
        long random = TenantHash.mix(seed);
        long digits = number / width;
        for (int i = 0; i <= overlap; i++) {
            random = TenantHash.mix(random + TenantHash.GOLDEN_RATIO);
            long digit = i < overlap ? digits % width : number % width;
            append((int) ((digit + ShuffleSharder.below(random, width)) % width), first, size, into);
            random += digit;
            digits /= width;
        }
        for (int i = 0; i < size; i++) {
            int row = row(first, i);
            into[i] = row * width + (int) ((long) into[i] * factors[row] % width);
        }
    }

    /** Appends the next coefficient, from the highest on, to the values of the polynomial (Horner's method). */
    private void append(int coefficient, int first, int size, int[] values) {
        for (int i = 0; i < size; i++) {
            // Below 2³¹: at most 2²⁰ slots in a row, and 2⁸ rows.
            values[i] = (values[i] * row(first, i) + coefficient) % width;
        }
    }

    private int row(int first, int i) {
        return first + i < factors.length ? first + i : first + i - factors.length;
    }

    private static boolean isPrime(int number) {
        for (int divisor = 2; divisor * divisor <= number; divisor++) {
            if (number % divisor == 0) {
                return false;
            }
        }
        return number > 1;
    }
}
