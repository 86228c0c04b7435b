package io.spillway.core.policy;

/**
 * How the limit of a tenant without a rate follows its own long-term use: {@code multiple} times that, from floor to ceiling, and
 * no faster upwards than so much a day.
 *
 * @param multiple of the long-term use, 1.1 or more: as far as its peaks are above its mean in an ordinary week
 * @param floor    items a second that it may have in any case, above 0
 * @param ceiling  items a second that it never gets more than, the floor or more; infinite for none
 * @param perDay   factor by which the limit rises at the most in a day, above 1
 * @param burst    items that may come at once, 1 or more; {@link Long#MAX_VALUE} for those of one second of the limit
 */
public record GrowthRule(double multiple, double floor, double ceiling, double perDay, long burst) {
    /** More than any tenant can have: a number that stays one in all sums. */
    private static final double MOST = 1e9;

    /** @throws IllegalArgumentException when a number is out of its range */
    public GrowthRule {
        if (!(multiple >= 1.1) || !(floor > 0) || !(ceiling >= floor) || !(perDay > 1) || burst < 1) {
            throw new IllegalArgumentException("growth by " + multiple + " from " + floor + " to " + ceiling + ", " + perDay
                    + " a day, burst " + burst + ": must be 1.1 or more, above 0, the floor or more, above 1, and 1 or more");
        }
    }

    /**
     * The limit at a rate that has been reached.
     *
     * @param itemsPerSecond below the floor counts as the floor, above the ceiling as the ceiling
     */
    public RateLimit limit(double itemsPerSecond) {
        double rate = clamp(itemsPerSecond);
        return RateLimit.of(rate, burst == Long.MAX_VALUE ? Math.max(1, (long) Math.ceil(rate)) : burst);
    }

    public double clamp(double itemsPerSecond) {
        return Math.max(floor, Math.min(Math.min(ceiling, MOST), itemsPerSecond));
    }
}
