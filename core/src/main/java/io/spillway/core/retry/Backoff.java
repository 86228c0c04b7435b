package io.spillway.core.retry;

import io.spillway.core.policy.Jitter;
import java.util.random.RandomGenerator;

/** Capped exponential backoff with jitter (M. Brooker, "Exponential Backoff And Jitter", AWS Blog, 2015). */
public final class Backoff {
    private Backoff() {}

    /**
     * Draws the wait before a retry, 0 to {@code capMillis}. With {@code e = min(cap, base · 2^(attempt − 1))}:
     *
     * <ul>
     * <li>none: e
     * <li>full: uniform in [0, e]
     * <li>equal: e/2 plus uniform in [0, e/2]
     * <li>decorrelated: {@code min(cap, uniform in [base, 3 · previous])}
     * </ul>
     *
     * @param baseMillis         the first wait, 1 or more
     * @param capMillis          longest wait, 1 or more; it also limits the base
     * @param attempt            attempts that count, 1 or more
     * @param previousWaitMillis result of the previous call for the same item, for decorrelated jitter only; 0 before
     *                           the first; a value below the base counts as the base
     */
    public static long waitMillis(
            Jitter jitter, long baseMillis, long capMillis, int attempt, long previousWaitMillis,
            RandomGenerator random) {
        if (baseMillis < 1 || capMillis < 1 || attempt < 1 || previousWaitMillis < 0) {
            throw new IllegalArgumentException("base " + baseMillis + " ms, cap " + capMillis + " ms, attempt "
                    + attempt + ": must be 1 or more; previous wait " + previousWaitMillis + " ms: must be 0 or more");
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

    /**
     * Draws from {@code least} to {@code most}, both included except {@link Long#MAX_VALUE}; {@code most} is not less.
     */
    private static long uniform(long least, long most, RandomGenerator random) {
        return least == most ? least : random.nextLong(least, most == Long.MAX_VALUE ? most : most + 1);
    }
}
