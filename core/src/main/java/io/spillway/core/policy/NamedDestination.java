package io.spillway.core.policy;

import java.util.HashMap;
import java.util.Map;

/**
 * System that the handlers of several tenants or subscriptions call, by the name that their policies give.
 *
 * @param name     as {@link PolicyField#DESTINATION} allows it
 * @param settings fields of {@link PolicyField#OF_DESTINATIONS}; none for a name without settings
 */
public record NamedDestination(String name, PolicySettings settings) {
    /** Returns the maximum of concurrent handlers for it in all workers; {@link Integer#MAX_VALUE} for none. */
    public int concurrency() {
        return settings.get(PolicyField.CONCURRENCY).filter(value -> !value.equals(PolicyField.NONE))
                .map(value -> ((Long) value).intValue()).orElse(Integer.MAX_VALUE);
    }

    /** Returns the maximum of handler calls for it that start in a second, in all workers; infinity for none. */
    public double attemptRate() {
        return settings.get(PolicyField.ATTEMPT_RATE).map(Double.class::cast)
                .filter(perSecond -> perSecond != PolicyField.NONE).orElse(Double.POSITIVE_INFINITY);
    }

    /** Returns what each who names it has where it sets nothing itself: all but the limits. */
    public PolicySettings others() {
        Map<PolicyField, Object> others = new HashMap<>(settings.values());
        others.remove(PolicyField.CONCURRENCY);
        others.remove(PolicyField.ATTEMPT_RATE);
        return new PolicySettings(others);
    }
}
