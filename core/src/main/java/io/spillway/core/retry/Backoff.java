package io.spillway.core.retry;

import io.spillway.core.policy.Jitter;
import java.util.random.RandomGenerator;

/**
 * How long to wait before a retry: capped exponential backoff with jitter, as in M. Brooker, "Exponential Backoff And
 * Jitter" (AWS Architecture Blog, 2015).
 */
public final class Backoff {
    private Backoff() {}

    /**
     * Draws a wait. With {@code e = min(cap, base · 2^(attempt − 1))}:
     *
     * <ul>
     *   <li>none: e
     *   <li>full: uniform in [0, e]
     *   <li>equal: e/2 and uniform in [0, e/2] on top
     *   <li>decorrelated: {@code min(cap, uniform in [base, 3 · previous])}
     * </ul>
     *
     * @param jitter             not null
     * @param baseMillis         the first wait, 1 or more
     * @param capMillis          no wait is longer, 1 or more; below the base it wins
     * @param attempt            attempts already made, 1 or more
     * @param previousWaitMillis what the call before this for the same item answered, read by decorrelated jitter only;
     *                           0 before the first, and below the base it counts as the base
     * @param random             where chance comes from, not null
     * @return 0 to {@code capMillis}
     * @throws IllegalArgumentException when a number is out of range
     */
    public static long waitMillis(
            Jitter jitter, long baseMillis, long capMillis, int attempt, long previousWaitMillis, RandomGenerator random) {
        if (baseMillis < 1 || capMillis < 1 || attempt < 1 || previousWaitMillis < 0) {
            throw new IllegalArgumentException("base " + baseMillis + " ms, cap " + capMillis + " ms, attempt " + attempt
                    + ", previous wait " + previousWaitMillis + " ms");
        }
        return switch (jitter) {
            case NONE -> exponentialMillis(baseMillis, capMillis, attempt);
            case FULL -> uniform(0, exponentialMillis(baseMillis, capMillis, attempt), random);
            case EQUAL -> {
                long whole = exponentialMillis(baseMillis, capMillis, attempt);
                yield uniform(whole / 2, whole, random);
            }
            case DECORRELATED -> {
                long previous = Math.max(previousWaitMillis, baseMillis);
                long most = previous > Long.MAX_VALUE / 3 ? Long.MAX_VALUE : 3 * previous;
                yield Math.min(capMillis, uniform(baseMillis, most, random));
            }
        };
    }

    private static long exponentialMillis(long baseMillis, long capMillis, int attempt) {
        int doublings = attempt - 1;
        boolean isOverCap = doublings >= Long.SIZE - 1 || baseMillis > capMillis >> doublings;
        return isOverCap ? capMillis : baseMillis << doublings;
    }

    /** From {@code least} to {@code most}, which is {@code least} or more; both are possible but {@link Long#MAX_VALUE}. */
    private static long uniform(long least, long most, RandomGenerator random) {
        return least == most ? least : random.nextLong(least, most == Long.MAX_VALUE ? most : most + 1);
    }
}
