package io.spillway.core.ratelimit;

import io.spillway.core.ledger.FlowRates;
import io.spillway.core.policy.GrowthRule;
import java.util.Optional;

/**
 * Long-term use of a tenant, and the limit that has grown from it.
 *
 * <p>Long-term use is an exponentially weighted average of accepted items with a time constant of {@value #MEMORY_DAYS}
 * days (smoothing of irregular observations, as in {@link FlowRates}), so all days of the week weigh alike. Items over
 * the limit of the time do not count. A spike of {@code h} hours therefore closes at most {@code 1 − e^(−h/168)} of the
 * gap between use and limit: with a multiple of 3, an hour adds less than 1.2% to both. A tenant that stays at its
 * limit grows by {@code e^((multiple − 1)/7)} a day, 1.33 with a multiple of 3, unless {@code perDay} is less. For
 * traffic that grows by a factor {@code g} a day, the average is {@code 1/(1 + 7·ln g)} of it: 0.6 at 10% a day, so any
 * multiple above 1.67 stays ahead.
 *
 * @param usePerSecond   long-term use, 0 or more; measured with or without a rule
 * @param limitPerSecond current limit, 0 while there was no rule yet
 */
public record GrowingLimit(double usePerSecond, double limitPerSecond) {
    /** State of a new tenant. */
    public static final GrowingLimit NONE = new GrowingLimit(0, 0);

    private static final double MEMORY_DAYS = 7;
    private static final double DAY_MILLIS = 86_400_000;

    /** @throws IllegalArgumentException when a value is negative or not a number */
    public GrowingLimit {
        if (!(usePerSecond >= 0 && usePerSecond < 1e12 && limitPerSecond >= 0 && limitPerSecond < 1e12)) {
            throw new IllegalArgumentException(
                    "use " + usePerSecond + "/s, limit " + limitPerSecond + "/s: must be 0 or more");
        }
    }

    /**
     * Returns use and limit after an interval of 1 ms or more.
     *
     * @param accepted items accepted in the interval, 0 or more, taken as evenly spread
     * @param rule     growth rule; empty for none, then only the use is measured
     */
    public GrowingLimit after(long accepted, long millis, Optional<GrowthRule> rule) {
        double perSecond = accepted * 1e3 / millis;
        double counted = rule.isEmpty() ? perSecond : Math.min(perSecond, inForce(rule.get()));
        double weightOfNew = -Math.expm1(-millis / (MEMORY_DAYS * DAY_MILLIS));
        double use = usePerSecond + weightOfNew * (counted - usePerSecond);
        return new GrowingLimit(use, rule.map(growth -> next(growth, use, millis)).orElse(0.0));
    }

    /** Returns the effective limit under a rule, items a second: the grown limit, or its initial value. */
    public double inForce(GrowthRule rule) {
        // A tenant that is older than the rule starts from its measured use.
        return rule.clamp(limitPerSecond == 0 ? rule.multiple() * usePerSecond : limitPerSecond);
    }

    private double next(GrowthRule rule, double use, long millis) {
        double max = inForce(rule) * Math.pow(rule.perDay(), millis / DAY_MILLIS);
        return rule.clamp(Math.min(max, rule.multiple() * use));
    }
}
