package io.spillway.kafka.view;

import io.spillway.core.policy.NamedDestination;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Destinations by name, and the keys of the tenants and subscriptions that name each. Owner: the thread of the view;
 * destinations are read by any. Bound: that of the view, together with tenants and subscriptions.
 */
final class NamedDestinations {
    private final NavigableMap<String, NamedDestination> byName = new ConcurrentSkipListMap<>();
    private final Map<String, Set<String>> callers = new HashMap<>();

    /** Returns those with settings. Changes with the view. */
    NavigableMap<String, NamedDestination> all() {
        return Collections.unmodifiableNavigableMap(byName);
    }

    /** Returns the destination that settings name, which may have none itself. */
    Optional<NamedDestination> of(PolicySettings settings) {
        return settings.get(PolicyField.DESTINATION).filter(String.class::isInstance).map(String.class::cast)
                .map(name -> {
                    NamedDestination known = byName.get(name);
                    return known == null ? new NamedDestination(name, PolicySettings.NONE_SET) : known;
                });
    }

    /** Stores settings, or with none removes them; returns the keys of those who name the destination. */
    Set<String> put(String name, PolicySettings settings) {
        if (settings.values().isEmpty()) {
            byName.remove(name);
        } else {
            byName.put(name, new NamedDestination(name, settings));
        }
        return Set.copyOf(callers.getOrDefault(name, Set.of()));
    }

    /** Follows a change of the settings of a tenant or a subscription. */
    void changed(String key, PolicySettings before, PolicySettings after) {
        before.get(PolicyField.DESTINATION).ifPresent(name -> callers.computeIfPresent(name.toString(), (same, all) -> {
            all.remove(key);
            return all.isEmpty() ? null : all;
        }));
        after.get(PolicyField.DESTINATION).ifPresent(name ->
                callers.computeIfAbsent(name.toString(), absent -> new TreeSet<>()).add(key));
    }
}
