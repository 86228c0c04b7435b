package io.spillway.core.ratelimit;

import io.spillway.core.ledger.FlowRates;
import io.spillway.core.policy.GrowthRule;
import java.util.Optional;

/**
 * What a tenant has used in the long run, and the limit that has grown from it.
 *
 * <p>Long-term use is an average of what was taken in whose weights fall to 1/e in {@value #MEMORY_DAYS} days, so that days of the
 * week weigh alike (exponential smoothing of irregular observations, as in {@link FlowRates}). What came beyond the limit of the
 * time does not count: it went to overflow, and is what a limit is for. Hence a spike of {@code h} hours, however high, adds at
 * most {@code 1 − e^(−h/168)} of the way from the use to the limit: with a multiple of 3, an hour adds less than 1.2% to both. A tenant
 * that stays at its limit for good gets {@code e^((multiple − 1)/7)} of it after a day, 1.33 with a multiple of 3, if that is allowed
 * a day. One that grows by a factor {@code g} a day is seen with the share {@code 1/(1 + 7·ln g)} of its use: at 10% a day that is .6, so
 * any multiple above 1.67 is ahead of it.
 *
 * @param usePerSecond   long-term use, 0 or more; measured with or without a rule
 * @param limitPerSecond what the limit has grown to, 0 while there was no rule yet
 */
public record GrowingLimit(double usePerSecond, double limitPerSecond) {
    /** Of a tenant that nothing is known of. */
    public static final GrowingLimit NONE = new GrowingLimit(0, 0);

    private static final double MEMORY_DAYS = 7;
    private static final double DAY_MILLIS = 86_400_000;

    /** @throws IllegalArgumentException when a number is less than 0, or is none */
    public GrowingLimit {
        if (!(usePerSecond >= 0 && usePerSecond < 1e12 && limitPerSecond >= 0 && limitPerSecond < 1e12)) {
            throw new IllegalArgumentException("use " + usePerSecond + "/s, limit " + limitPerSecond + "/s: must be 0 or more");
        }
    }

    /**
     * Use and limit after some time.
     *
     * @param accepted items taken in within it, 0 or more, taken to have been spread evenly
     * @param millis   how long it was, 1 or more
     * @param rule     how the limit grows; empty where it does not: then the use goes on being measured
     */
    public GrowingLimit after(long accepted, long millis, Optional<GrowthRule> rule) {
        double perSecond = accepted * 1e3 / millis;
        double counted = rule.isEmpty() ? perSecond : Math.min(perSecond, inForce(rule.get()));
        double weightOfNew = -Math.expm1(-millis / (MEMORY_DAYS * DAY_MILLIS));
        double use = usePerSecond + weightOfNew * (counted - usePerSecond);
        return new GrowingLimit(use, rule.map(growth -> next(growth, use, millis)).orElse(0.0));
    }

    /** The limit of a tenant under a rule, items a second: what it has grown to, or where it begins. */
    public double inForce(GrowthRule rule) {
        // A tenant that was there before the rule begins where its use is: that is organic already.
        return rule.clamp(limitPerSecond == 0 ? rule.multiple() * usePerSecond : limitPerSecond);
    }

    private double next(GrowthRule rule, double use, long millis) {
        double most = inForce(rule) * Math.pow(rule.perDay(), millis / DAY_MILLIS);
        return rule.clamp(Math.min(most, rule.multiple() * use));
    }
}
