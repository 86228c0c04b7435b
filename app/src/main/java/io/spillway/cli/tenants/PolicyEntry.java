package io.spillway.cli.tenants;

import io.spillway.cli.terminal.Printer;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.Subscription;
import io.spillway.kafka.view.TenantPolicies;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the policies topic has under one key: the settings of a tenant or of {@code *}, a subscription, or a
 * destination.
 *
 * @param settings     of the tenant or the destination, or those of the subscription
 * @param subscription empty for what is none
 */
record PolicyEntry(Kind kind, PolicySettings settings, Optional<Subscription> subscription) {
    /** Kind of an entry. */
    enum Kind { TENANT, SUBSCRIPTION, DESTINATION }

    static PolicyEntry of(PolicySettings settings) {
        return new PolicyEntry(Kind.TENANT, settings, Optional.empty());
    }

    static PolicyEntry of(Subscription subscription) {
        return new PolicyEntry(Kind.SUBSCRIPTION, subscription.settings(), Optional.of(subscription));
    }

    static PolicyEntry ofDestination(PolicySettings settings) {
        return new PolicyEntry(Kind.DESTINATION, settings, Optional.empty());
    }

    /** Returns a copy of what is stored, by key; keys of the topic that have no effect are left out. */
    static SortedMap<String, PolicyEntry> stored(TenantPolicies policies) {
        SortedMap<String, PolicyEntry> stored = new TreeMap<>();
        policies.all().forEach((tenant, settings) -> {
            if (PoliciesFile.isTenant(tenant)) {
                stored.put(tenant, of(settings));
            }
        });
        policies.subscribed().forEach(tenant -> policies.subscriptions(tenant).forEach((name, subscription) ->
                stored.put(TenantPolicies.key(tenant, name), of(subscription))));
        policies.destinations().forEach((name, destination) ->
                stored.put(TenantPolicies.destinationKey(name), ofDestination(destination.settings())));
        return stored;
    }

    /** Returns how many entries there are of each kind. */
    static String named(Stream<PolicyEntry> entries) {
        Map<Kind, Long> counts = entries.collect(Collectors.groupingBy(PolicyEntry::kind, Collectors.counting()));
        List<String> named = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            long count = counts.getOrDefault(kind, 0L);
            if (count > 0) {
                named.add((kind == Kind.TENANT ? "the settings of " : "")
                        + Printer.count(count, kind.name().toLowerCase(Locale.ROOT)));
            }
        }
        return named.isEmpty() ? "the settings of 0 tenants" : String.join(" and ", named);
    }

    /** Returns the record to store under a key. */
    byte[] encode(String key) {
        return subscription.map(own -> TenantPolicies.encode(TenantPolicies.tenantOf(key), own))
                .orElseGet(() -> TenantPolicies.encode(key, settings));
    }

    String inOneLine() {
        String own = settings.inOneLine();
        return subscription.map(one -> PoliciesFile.WORKLOADS + "=" + one.pattern()
                + (settings.values().isEmpty() ? "" : " " + own)).orElse(own);
    }
}
