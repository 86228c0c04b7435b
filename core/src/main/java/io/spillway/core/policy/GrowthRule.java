package io.spillway.core.policy;

/**
 * Growth rule of the limit of a tenant without a rate: {@code multiple} times its long-term use, between floor and
 * ceiling, rising by at most {@code perDay}.
 *
 * @param multiple factor on the long-term use, 1.1 or more; the ratio of peak to mean in a normal week
 * @param floor    minimum limit, items a second, above 0
 * @param ceiling  maximum limit, items a second, at least the floor; infinite for none
 * @param perDay   maximum factor by which the limit rises in a day, above 1
 * @param burst    items that may arrive at once, 1 or more; {@link Long#MAX_VALUE} for one second of the limit
 */
public record GrowthRule(double multiple, double floor, double ceiling, double perDay, long burst) {
    /** Upper bound of any limit, items a second. It keeps an infinite ceiling out of the arithmetic. */
    private static final double MAX_PER_SECOND = 1e9;

    /** @throws IllegalArgumentException when a value is out of its range */
    public GrowthRule {
        if (!(multiple >= 1.1) || !(floor > 0) || !(ceiling >= floor) || !(perDay > 1) || burst < 1) {
            throw new IllegalArgumentException("multiple = " + multiple + ", floor = " + floor
                    + ", ceiling = " + ceiling + ", perDay = " + perDay + ", burst = " + burst
                    + ": must be 1.1 or more, above 0, at least the floor, above 1, and 1 or more");
        }
    }

    /** Returns the rate limit for a rate in items a second, clamped to the range from floor to ceiling. */
    public RateLimit limit(double itemsPerSecond) {
        return RateLimit.orOneSecond(clamp(itemsPerSecond), burst);
    }

    public double clamp(double itemsPerSecond) {
        return Math.max(floor, Math.min(Math.min(ceiling, MAX_PER_SECOND), itemsPerSecond));
    }
}
