package io.spillway.core.policy;

import io.spillway.core.item.PoolName;
import java.util.HashMap;
import java.util.Map;

/**
 * System that the handlers of several tenants or subscriptions call, by the name that their policies give.
 *
 * @param name     as {@link #isName} allows it
 * @param settings fields of {@link PolicyField#OF_DESTINATIONS}; none for a name without settings
 * @param limits   those of them that hold for all together who name it: concurrency and rate
 */
public record NamedDestination(String name, PolicySettings settings, WorkloadPolicy limits) {
    /** What is allowed as a name, for messages. */
    public static final String NAME_ALLOWED = PoolName.RULE + ", and not none or default";

    /** Creates a destination with the limits among its settings. */
    public NamedDestination(String name, PolicySettings settings) {
        this(name, settings, WorkloadPolicy.of(settings.values()));
    }

    /** Returns whether a destination can have this name; a policy can give neither of two words as one. */
    public static boolean isName(String name) {
        return PoolName.isValid(name) && !name.equals("none") && !name.equals("default");
    }

    /** Returns what each who names it has where it sets nothing itself: all but the limits. */
    public PolicySettings others() {
        Map<PolicyField, Object> others = new HashMap<>(settings.values());
        others.remove(PolicyField.CONCURRENCY);
        others.remove(PolicyField.ATTEMPT_RATE);
        return new PolicySettings(others);
    }
}
