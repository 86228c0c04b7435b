package io.spillway.kafka.view;

import io.spillway.core.policy.NamedDestination;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.Subscription;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.policy.WorkloadPolicy;
import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Subscriptions by tenant and name, with the policies of their deliveries. Owner: the thread of the view, which adds
 * and removes them; read by any. Bound: that of the view, together with the tenants.
 */
final class TenantSubscriptions {
    private final Map<String, OfTenant> byTenant = new ConcurrentHashMap<>();
    private final NamedDestinations destinations;
    private volatile int size;

    /** Creates an empty one whose subscriptions name these destinations. */
    TenantSubscriptions(NamedDestinations destinations) {
        this.destinations = destinations;
    }

    /**
     * Subscriptions of one tenant.
     *
     * @param resolved policies that were asked for, by workload; made again when what they were made from changes
     * @param paused   names of those that are paused, themselves or by the destination that they name
     */
    private record OfTenant(
            NavigableMap<String, Subscription> byName, Map<String, Resolved> resolved, Set<String> paused) {
        static OfTenant none() {
            return new OfTenant(
                    new ConcurrentSkipListMap<>(), new ConcurrentHashMap<>(), ConcurrentHashMap.newKeySet());
        }
    }

    private record Resolved(
            TenantPolicy tenant, Subscription subscription, Optional<NamedDestination> destination,
            TenantContext context) {
        boolean isOf(TenantPolicy policy, Subscription latest, Optional<NamedDestination> named) {
            return tenant == policy && subscription == latest && destination.equals(named);
        }
    }

    /** Returns the number of subscriptions. */
    int size() {
        return size;
    }

    /** Returns the subscriptions of a tenant by name; empty without one. */
    NavigableMap<String, Subscription> of(String tenant) {
        OfTenant own = byTenant.get(tenant);
        return own == null ? Collections.emptyNavigableMap() : Collections.unmodifiableNavigableMap(own.byName);
    }

    /** Returns whether any subscription of a tenant is paused, itself or by the destination that it names. */
    boolean isAnyPaused(String tenant) {
        OfTenant own = byTenant.get(tenant);
        return own != null && !own.paused.isEmpty();
    }

    /** Returns a tenant with the policy of its deliveries with a workload; unchanged without such a subscription. */
    TenantContext context(TenantContext tenant, String workload) {
        OfTenant own = byTenant.get(tenant.name());
        Subscription subscription =
                own == null ? null : own.byName.get(workload.substring(Subscription.MARK.length()));
        if (subscription == null || subscription.settings().values().isEmpty()) {
            return tenant;
        }
        Resolved known = own.resolved.get(workload);
        Optional<NamedDestination> destination = destinations.of(subscription.settings());
        if (known != null && known.isOf(tenant.policy(), subscription, destination)) {
            return known.context;
        }
        TenantContext context =
                new TenantContext(tenant.name(), tenant.hash(), tenant.policy().with(subscription, destination));
        own.resolved.put(workload, new Resolved(tenant.policy(), subscription, destination, context));
        return context;
    }

    /** Returns the tenants that have some, sorted. */
    SortedSet<String> tenants() {
        return new TreeSet<>(byTenant.keySet());
    }

    void put(String tenant, Subscription subscription) {
        Subscription before = byTenant.computeIfAbsent(tenant, name -> OfTenant.none()).byName
                .put(subscription.name(), subscription);
        size += before == null ? 1 : 0;
        destinations.changed(
                TenantPolicies.key(tenant, subscription.name()),
                before == null ? PolicySettings.NONE_SET : before.settings(), subscription.settings());
        changed(tenant, subscription.name());
    }

    /** Follows a change of a subscription, or of the destination that it names. */
    void changed(String tenant, String name) {
        OfTenant own = byTenant.get(tenant);
        PolicySettings settings = own.byName.get(name).settings();
        PolicySettings all = destinations.of(settings).map(named -> settings.over(named.others())).orElse(settings);
        if (WorkloadPolicy.of(all.values()).paused()) {
            own.paused.add(name);
        } else {
            own.paused.remove(name);
        }
    }

    void remove(String tenant, String name) {
        OfTenant own = byTenant.get(tenant);
        Subscription before = own == null ? null : own.byName.remove(name);
        if (before == null) {
            return;
        }
        size--;
        destinations.changed(TenantPolicies.key(tenant, name), before.settings(), PolicySettings.NONE_SET);
        own.paused.remove(name);
        own.resolved.remove(Subscription.MARK + name);
        if (own.byName.isEmpty()) {
            byTenant.remove(tenant);
        }
    }

    void addKeys(Set<String> keys) {
        byTenant.forEach((tenant, own) -> own.byName.keySet().forEach(name ->
                keys.add(TenantPolicies.key(tenant, name))));
    }
}
