package io.spillway.cli.diagnosis;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.text.Printable;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;

/**
 * Search for settings that have no effect because another setting overrules them. A setting counts only if somebody set
 * it, at least as closely to the tenant as the one that overrules it: a tenant's own {@code ttl} below the
 * {@code agedAfter} of all tenants is an intended exception. Pure.
 */
final class PolicyConflicts {
    /** Where a value is set: closer to the tenant is greater. */
    private static final int OWN = 3;
    private static final int OF_ALL = 2;
    private static final int CONFIGURED = 1;
    private static final int BUILT_IN = 0;

    private static final List<Rule> RULES = List.of(
            new Rule(PolicyField.AGED_AFTER, PolicyField.TTL, PolicyConflicts::isNeverReached,
                    "items are dropped before they can be aged"),
            new Rule(PolicyField.RETRY_FOR, PolicyField.TTL, PolicyConflicts::isNeverReached,
                    "items are dropped before their retries end"),
            new Rule(PolicyField.EXPIRE_AFTER, PolicyField.TTL, PolicyConflicts::isNeverReached,
                    "items are dropped before they can become dead letters"),
            new Rule(PolicyField.BACKOFF_BASE, PolicyField.BACKOFF_CAP, (base, cap) -> number(base) > number(cap),
                    "every wait is the maximum"),
            new Rule(PolicyField.TIMEOUT_MAX, PolicyField.TIMEOUT_MIN, (max, min) -> number(max) < number(min),
                    "the minimum applies"),
            new Rule(PolicyField.TIMEOUT_MIN, PolicyField.TIMEOUT, (min, timeout) -> !isNone(timeout),
                    "only automatic timeouts have a minimum"),
            new Rule(PolicyField.TIMEOUT_MAX, PolicyField.TIMEOUT, (max, timeout) -> !isNone(timeout),
                    "only automatic timeouts have a maximum"),
            new Rule(PolicyField.GROWTH, PolicyField.RATE, PolicyConflicts::both,
                    "a limit grows only without a rate"),
            new Rule(PolicyField.GROWTH_CEILING, PolicyField.GROWTH_FLOOR,
                    (ceiling, floor) -> !isNone(ceiling) && number(ceiling) < number(floor), "the floor applies"),
            new Rule(PolicyField.MAX_DRAIN, PolicyField.BACK_PRESSURE, PolicyConflicts::isAccept,
                    "the gateways accept all items"),
            new Rule(PolicyField.MAX_DEPTH, PolicyField.BACK_PRESSURE, PolicyConflicts::isAccept,
                    "the gateways accept all items"));

    private final TenantPolicies policies;
    private final PolicySettings configured;

    private PolicyConflicts(TenantPolicies policies, PolicySettings configured) {
        this.policies = policies;
        this.configured = configured;
    }

    /**
     * Rule by which one field has no effect because of another.
     *
     * @param field    field without an effect
     * @param stronger field that overrules it
     * @param applies  whether it does with these values in force
     */
    private record Rule(PolicyField field, PolicyField stronger, BiPredicate<Object, Object> applies, String effect) {}

    /**
     * Returns one line for each conflict, those of all tenants first and then by tenant.
     *
     * @param configured defaults of the configuration
     */
    static List<String> in(TenantPolicies policies, PolicySettings configured) {
        PolicyConflicts search = new PolicyConflicts(policies, configured);
        List<String> conflicts = new ArrayList<>(search.of(ViewContent.ALL_TENANTS, CONFIGURED));
        policies.all().forEach((tenant, own) -> {
            if (!tenant.equals(ViewContent.ALL_TENANTS)) {
                conflicts.addAll(search.of(tenant, OWN));
            }
            search.addUnknown(tenant, own, conflicts);
        });
        policies.subscribed().forEach(tenant -> policies.subscriptions(tenant).forEach((name, subscription) ->
                search.addUnknown(TenantPolicies.key(tenant, name), subscription.settings(), conflicts)));
        return conflicts;
    }

    private void addUnknown(String owner, PolicySettings own, List<String> conflicts) {
        own.get(PolicyField.DESTINATION).filter(name -> !isNone(name) && !policies.destinations().containsKey(name))
                .ifPresent(name -> conflicts.add(Printable.of(owner) + ": destination = " + name
                        + " has no effect: it is not set. Set it: spillway destinations set " + name));
    }

    /** @param least conflicts of a setting less close to the tenant are found elsewhere */
    private List<String> of(String tenant, int least) {
        List<String> conflicts = new ArrayList<>();
        PolicySettings inForce = policies.inForce(tenant);
        for (Rule rule : RULES) {
            Object value = inForce.values().get(rule.field());
            Object stronger = inForce.values().get(rule.stronger());
            int source = source(tenant, rule.field());
            if (source >= least && source >= source(tenant, rule.stronger()) && rule.applies().test(value, stronger)) {
                conflicts.add(Printable.of(tenant) + ": " + text(rule.field(), value) + " has no effect because of "
                        + text(rule.stronger(), stronger) + ": " + rule.effect());
            }
        }
        inForce.workloads().forEach((workload, limits) -> {
            Object all = inForce.values().get(PolicyField.CONCURRENCY);
            if (policies.own(tenant).workloads().containsKey(workload) && limits.concurrency() != Integer.MAX_VALUE
                    && !isNone(all) && limits.concurrency() > number(all)) {
                conflicts.add(Printable.of(tenant) + ": concurrency = " + limits.concurrency()
                        + " of the workload " + workload + " has no effect because of concurrency = "
                        + PolicyField.CONCURRENCY.format(all) + " of the tenant");
            }
        });
        return conflicts;
    }

    private int source(String tenant, PolicyField field) {
        return !tenant.equals(ViewContent.ALL_TENANTS) && policies.own(tenant).get(field).isPresent() ? OWN
                : policies.own(ViewContent.ALL_TENANTS).get(field).isPresent() ? OF_ALL
                : configured.get(field).isPresent() ? CONFIGURED
                : BUILT_IN;
    }

    private static String text(PolicyField field, Object value) {
        return field.key() + " = " + field.format(value);
    }

    private static boolean isAccept(Object limit, Object pressure) {
        return !isNone(limit) && "accept".equals(pressure);
    }

    private static boolean isNeverReached(Object age, Object ttl) {
        return both(age, ttl) && number(ttl) <= number(age);
    }

    private static boolean both(Object value, Object otherValue) {
        return !isNone(value) && !isNone(otherValue);
    }

    /** The value for "automatic" is the same. */
    private static boolean isNone(Object value) {
        return value instanceof Number number && number.doubleValue() == PolicyField.NONE;
    }

    private static double number(Object value) {
        return ((Number) value).doubleValue();
    }
}
