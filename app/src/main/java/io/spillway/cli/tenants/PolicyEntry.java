package io.spillway.cli.tenants;

import io.spillway.cli.terminal.Printer;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.Subscription;
import io.spillway.kafka.view.TenantPolicies;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the policies topic has under one key: the settings of a tenant or of {@code *}, or a subscription.
 *
 * @param settings     of the tenant, or those of the subscription
 * @param subscription empty for a tenant
 */
record PolicyEntry(PolicySettings settings, Optional<Subscription> subscription) {
    static PolicyEntry of(PolicySettings settings) {
        return new PolicyEntry(settings, Optional.empty());
    }

    static PolicyEntry of(Subscription subscription) {
        return new PolicyEntry(subscription.settings(), Optional.of(subscription));
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
        return stored;
    }

    /** Returns how many entries are settings of tenants, and how many are subscriptions. */
    static String named(Stream<PolicyEntry> entries) {
        Map<Boolean, Long> counts = entries.collect(Collectors.partitioningBy(
                entry -> entry.subscription().isPresent(), Collectors.counting()));
        String tenants = "the settings of " + Printer.count(counts.get(false), "tenant");
        String subscriptions = Printer.count(counts.get(true), "subscription");
        return counts.get(true) == 0 ? tenants
                : counts.get(false) == 0 ? subscriptions : tenants + " and " + subscriptions;
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
