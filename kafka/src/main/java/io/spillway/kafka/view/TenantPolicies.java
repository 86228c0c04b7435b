package io.spillway.kafka.view;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.PoolName;
import io.spillway.core.policy.NamedDestination;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.Subscription;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptTimeouts;
import io.spillway.core.sharding.DedicationPlan;
import io.spillway.kafka.codec.RecordCodec;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.avro.generic.GenericRecord;

/**
 * Policy in force for each tenant: its own settings, those of {@code *} and the configured defaults, in order of
 * precedence.
 *
 * <p>A key with a slash is a subscription of the tenant before it: its settings come before all of these, for items
 * with its workload. One that begins with a slash is a destination: its settings come after those of the tenant or the
 * subscription that names it.
 *
 * <p>Owner: the view's thread. Readers see only complete policies.
 */
public final class TenantPolicies extends ViewContent<PolicySettings> {
    /** Limit of tenants with dedicated partitions. */
    private static final int MAX_DEDICATED = 10_000;
    private static final char SEPARATOR = '/';
    /** Limit of policies that are remembered, so that tenants with equal ones share an object. */
    private static final int MAX_SHARED = 1_000;

    private static final RecordCodec<io.spillway.schema.TenantPolicy> CODEC =
            new RecordCodec<>(new io.spillway.schema.TenantPolicy());

    private final PolicySettings defaults;
    private final long seed;
    private final Map<String, TenantContext> resolved = new ConcurrentHashMap<>();
    private final NamedDestinations destinations = new NamedDestinations();
    private final TenantSubscriptions subscriptions = new TenantSubscriptions(destinations);
    /** Those of the entries whose items are tracked. */
    private final Set<String> tracked = ConcurrentHashMap.newKeySet();
    private final Map<TenantPolicy, TenantPolicy> shared = new HashMap<>();
    private volatile TenantPolicy others;
    private volatile SortedMap<String, DedicationPlan.Request> dedicated = Collections.emptySortedMap();

    /** Creates content without tenants, for tools and tests. */
    public TenantPolicies(PolicySettings defaults) {
        this(defaults, 0);
    }

    /**
     * Creates content without tenants.
     *
     * @param defaults the configured defaults
     * @param seed     seed of the hash of tenants; keep it secret from anyone who can choose tenant names
     */
    public TenantPolicies(PolicySettings defaults, long seed) {
        this.defaults = defaults;
        this.seed = seed;
        this.others = TenantPolicy.of(defaults);
    }

    /** Returns a tenant's encoded settings. */
    public static byte[] encode(String tenant, PolicySettings settings) {
        Map<String, Map<String, Object>> workloads = new TreeMap<>();
        settings.workloads().forEach((name, limits) -> workloads.put(name, byKey(limits.values())));
        return CODEC.encode(new io.spillway.schema.TenantPolicy(tenant, byKey(settings.values()), workloads, ""));
    }

    /** Returns the encoded subscription of a tenant, to be stored with its {@link #key}. */
    public static byte[] encode(String tenant, Subscription subscription) {
        return CODEC.encode(new io.spillway.schema.TenantPolicy(
                tenant, byKey(subscription.settings().values()), Map.of(), subscription.pattern()));
    }

    /** Returns the key of a tenant's subscription. */
    public static String key(String tenant, String subscription) {
        return tenant + SEPARATOR + subscription;
    }

    private static Map<String, Object> byKey(Map<PolicyField, Object> values) {
        return values.entrySet().stream().collect(Collectors.toMap(field -> field.getKey().key(), Map.Entry::getValue));
    }

    /** Returns the tenant of a key, not that of a destination: the whole key, or what a subscription's begins with. */
    public static String tenantOf(String key) {
        return isSubscription(key) ? key.substring(0, key.indexOf(SEPARATOR)) : key;
    }

    private static boolean isSubscription(String key) {
        return key.indexOf(SEPARATOR) > 0;
    }

    /** Returns the key of a destination. */
    public static String destinationKey(String name) {
        return SEPARATOR + name;
    }

    /** Returns whether a key is that of a destination. */
    public static boolean isDestination(String key) {
        return key.indexOf(SEPARATOR) == 0;
    }

    /** Returns the name of the subscription or the destination that has a key. */
    public static String nameOf(String key) {
        return key.substring(key.indexOf(SEPARATOR) + 1);
    }

    /** @throws IllegalArgumentException if the bytes are not encoded settings */
    public static PolicySettings decode(byte[] bytes) {
        return PolicyRecords.settings(CODEC.decode(bytes));
    }

    /** Returns the policy in force for a tenant, never null. */
    public TenantPolicy of(String tenant) {
        // Asked for several times an item: without the hash of its name, which a context has.
        TenantContext own = resolved.get(tenant);
        return own == null ? others : own.policy();
    }

    /** Returns the policy in force for a tenant's items with a workload, which may be empty: its subscription's. */
    public TenantPolicy of(String tenant, String workload) {
        return Subscription.isDelivery(workload) ? context(tenant, workload).policy() : of(tenant);
    }

    /** Returns the policy of what {@link AttemptTimeouts#measuredAs} names. */
    public TenantPolicy ofMeasured(String name) {
        if (!isDestination(name)) {
            return of(tenantOf(name), isSubscription(name) ? nameOf(name) : "");
        }
        return TenantPolicy.of(PolicySettings.NONE_SET, Optional.of(new NamedDestination(nameOf(name), own(name))),
                own(ALL_TENANTS).over(defaults));
    }

    /** Returns whether the items of any tenant are tracked. */
    public boolean tracksAny() {
        return others.isTracked() || !tracked.isEmpty();
    }

    /** Returns a tenant with the policy in force for its items with a workload. */
    public TenantContext context(String tenant, String workload) {
        TenantContext own = context(tenant);
        return Subscription.isDelivery(workload) ? subscriptions.context(own, workload) : own;
    }

    /** Returns the destinations that have settings, by name. Changes with the view. */
    public NavigableMap<String, NamedDestination> destinations() {
        return destinations.all();
    }

    /** Returns a tenant's subscriptions by name; empty without one. Changes with the view. */
    public NavigableMap<String, Subscription> subscriptions(String tenant) {
        return subscriptions.of(tenant);
    }

    /** Returns a subscription of a tenant; empty if it has none of this name. */
    public Optional<Subscription> subscription(String tenant, String name) {
        return Optional.ofNullable(subscriptions.of(tenant).get(name));
    }

    /** Returns whether any subscription of a tenant is paused, itself or by its destination. */
    public boolean isAnySubscriptionPaused(String tenant) {
        return subscriptions.isAnyPaused(tenant);
    }

    /** Returns the tenants that have subscriptions, sorted. */
    public SortedSet<String> subscribed() {
        return subscriptions.tenants();
    }

    /** Returns a tenant with its policy in force. */
    public TenantContext context(String tenant) {
        TenantContext own = resolved.get(tenant);
        return own == null ? TenantContext.of(tenant, seed, others) : own;
    }

    /** Returns a copy of the tenants' own settings as stored, by tenant. */
    public SortedMap<String, PolicySettings> all() {
        return Collections.unmodifiableSortedMap(new TreeMap<>(entries));
    }

    /** Returns the tenants with own settings, and {@code *} if it has some. Unordered; changes with the view. */
    public Set<String> names() {
        return Collections.unmodifiableSet(entries.keySet());
    }

    /** Returns the settings stored under a key that is no subscription's; none if there are no such. */
    public PolicySettings own(String key) {
        if (isDestination(key)) {
            NamedDestination known = destinations.all().get(nameOf(key));
            return known == null ? PolicySettings.NONE_SET : known.settings();
        }
        return entries.getOrDefault(key, PolicySettings.NONE_SET);
    }

    /** Returns the value in force of every setting for a tenant; those without one have the built-in default. */
    public PolicySettings inForce(String tenant) {
        return own(tenant).over(fromDestination(tenant)).over(own(ALL_TENANTS)).over(defaults)
                .over(PolicySettings.DEFAULTS);
    }

    /** Returns what a tenant has from its destination, where it sets nothing itself. */
    public PolicySettings fromDestination(String tenant) {
        return context(tenant).policy().destination().map(NamedDestination::others).orElse(PolicySettings.NONE_SET);
    }

    /** Returns the dedicated partitions requested, by tenant. Immutable, and the same object until it changes. */
    public SortedMap<String, DedicationPlan.Request> dedicated() {
        return dedicated;
    }

    @Override
    int maxKeyBytes() {
        return 2 * ItemLimits.MAX_NAME_LENGTH;
    }

    @Override
    boolean hasRoomFor(String key, int maxEntries) {
        return super.hasRoomFor(
                key, Math.max(0, maxEntries - subscriptions.size() - destinations.all().size()));
    }

    @Override
    public boolean contains(String key) {
        return isDestination(key) ? destinations.all().containsKey(nameOf(key))
                : isSubscription(key) ? subscription(tenantOf(key), nameOf(key)).isPresent() : super.contains(key);
    }

    @Override
    Set<String> keys() {
        Set<String> all = super.keys();
        subscriptions.addKeys(all);
        destinations.all().keySet().forEach(name -> all.add(destinationKey(name)));
        return all;
    }

    @Override
    public void put(String key, byte[] value) {
        GenericRecord record = CODEC.decode(value);
        PolicySettings own = PolicyRecords.settings(record);
        if (isDestination(key)) {
            putDestination(nameOf(key), only(PolicyField.OF_DESTINATIONS, own));
            return;
        }
        if (isSubscription(key)) {
            subscriptions.put(tenantOf(key), new Subscription(nameOf(key), record.get("subscribes").toString(),
                    only(PolicyField.OF_SUBSCRIPTIONS, own)));
            return;
        }
        destinations.changed(key, own(key), own);
        entries.put(key, own);
        resolve(key);
        dedicate(key, own);
    }

    private void putDestination(String name, PolicySettings settings) {
        destinations.put(name, settings).forEach(this::resolve);
        if (others.destination().filter(own -> own.name().equals(name)).isPresent()) {
            resolve(ALL_TENANTS);
        }
    }

    /** A later release may allow more. */
    private static PolicySettings only(List<PolicyField> fields, PolicySettings own) {
        Map<PolicyField, Object> values = new HashMap<>(own.values());
        values.keySet().retainAll(fields);
        return new PolicySettings(values);
    }

    @Override
    public void remove(String key) {
        if (isDestination(key)) {
            putDestination(nameOf(key), PolicySettings.NONE_SET);
            return;
        }
        if (isSubscription(key)) {
            subscriptions.remove(tenantOf(key), nameOf(key));
            return;
        }
        destinations.changed(key, own(key), PolicySettings.NONE_SET);
        entries.remove(key);
        resolve(key);
        dedicate(key, PolicySettings.NONE_SET);
    }

    /** Copies the map, because it changes rarely. No queue has enough partitions for requests beyond the limit. */
    private void dedicate(String key, PolicySettings own) {
        long partitions = key.equals(ALL_TENANTS) ? 0 : (Long) own.get(PolicyField.DEDICATED).orElse(0L);
        String pool = (String) own.get(PolicyField.POOL).orElse(PoolName.SHARED);
        Optional<DedicationPlan.Request> wanted = partitions > 0
                ? Optional.of(new DedicationPlan.Request((int) partitions, pool)) : Optional.empty();
        if (wanted.equals(Optional.ofNullable(dedicated.get(key)))
                || wanted.isPresent() && dedicated.size() >= MAX_DEDICATED) {
            return;
        }
        TreeMap<String, DedicationPlan.Request> changed = new TreeMap<>(dedicated);
        changed.remove(key);
        wanted.ifPresent(request -> changed.put(key, request));
        dedicated = Collections.unmodifiableSortedMap(changed);
    }

    private void resolve(String key) {
        PolicySettings all = own(ALL_TENANTS).over(defaults);
        if (isSubscription(key)) {
            subscriptions.changed(tenantOf(key), nameOf(key));
        } else if (key.equals(ALL_TENANTS)) {
            others = TenantPolicy.of(PolicySettings.NONE_SET, destinations.of(all), all);
            entries.forEach((tenant, own) -> {
                if (!tenant.equals(ALL_TENANTS)) {
                    resolve(tenant, own, all);
                }
            });
        } else if (entries.containsKey(key)) {
            resolve(key, entries.get(key), all);
        } else {
            resolved.remove(key);
            tracked.remove(key);
        }
    }

    private void resolve(String tenant, PolicySettings own, PolicySettings all) {
        TenantPolicy policy = TenantPolicy.of(own, destinations.of(own.over(all)), all);
        if (shared.size() >= MAX_SHARED && !shared.containsKey(policy)) {
            shared.clear();
        }
        if (policy.isTracked()) {
            tracked.add(tenant);
        } else {
            tracked.remove(tenant);
        }
        resolved.put(tenant, TenantContext.of(tenant, seed, shared.computeIfAbsent(policy, Function.identity())));
    }
}
