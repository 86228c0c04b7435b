package io.spillway.operator.report;

import io.spillway.core.item.DeadReason;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.settings.Durations;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Routing of a tenant's items, and the tenants that share its partitions. Bound: {@value #MAX_KNOWN} other tenants are
 * compared, the first by name, and {@value #MAX_LISTED} are listed.
 *
 * @param slots      slots of its shard, also while it is isolated
 * @param partitions partitions to which its items are routed
 * @param pool       pool of the workers that handle them
 * @param rules      rules of routing as text, in their order
 * @param known      number of other tenants that were compared
 * @param isCutShort whether there are more
 * @param sharing    number of tenants by the number of partitions they share with this one, descending, with 0
 * @param neighbours tenants that share most
 */
public record TenantExplanation(
        Kind kind, List<Integer> slots, List<Integer> partitions, String pool, List<String> rules, int known,
        boolean isCutShort, Map<Integer, Integer> sharing, List<Sharer> neighbours) {
    private static final int MAX_KNOWN = 100_000;
    private static final int MAX_LISTED = 20;

    /** @param shared partitions in common, 1 or more */
    public record Sharer(String tenant, int shared) {}

    /** How the partitions of a tenant are chosen. */
    public enum Kind {
        DEDICATED("has dedicated partitions", "its dedicated partitions"),
        ASSIGNED("has an assigned shard", "its assigned shard"),
        STATELESS("has a shard that is computed from its name", "its shard");

        private final String text;
        private final String place;

        Kind(String text, String place) {
            this.text = text;
            this.place = place;
        }

        /** Returns the name in JSON. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns what the tenant has, for a sentence that begins with its name. */
        public String text() {
            return text;
        }
    }

    /**
     * Returns the explanation.
     *
     * @param drops       rules of its cancels and sweeps
     * @param isShareHeld whether tenants without a rate are limited to a share of the hot lane
     */
    public static TenantExplanation of(
            String tenant, TenantPolicies policies, PlacementView placements, ShardAssignments assignments,
            List<String> drops, boolean isShareHeld) {
        TenantPolicy policy = policies.of(tenant);
        int[] own = placements.partitions(tenant, policy);
        FirstOf<String> first = new FirstOf<>(MAX_KNOWN, Comparator.naturalOrder());
        int[] others = {0};
        Stream.concat(policies.names().stream(), assignments.all().keySet().stream()
                        .filter(other -> !policies.names().contains(other)))
                .filter(other -> !other.equals(tenant) && !other.equals(ViewContent.ALL_TENANTS))
                .forEach(other -> {
                    others[0]++;
                    first.add(other);
                });
        Map<Integer, Integer> sharing = new TreeMap<>(Comparator.reverseOrder());
        List<Sharer> neighbours = new ArrayList<>();
        Set<Integer> ours = new HashSet<>(Arrays.stream(own).boxed().toList());
        List<String> compared = first.sorted();
        compared.forEach(other -> {
            int shared = (int)
                    Arrays.stream(placements.partitions(other, policies.of(other))).filter(ours::contains).count();
            sharing.merge(shared, 1, Integer::sum);
            if (shared > 0) {
                neighbours.add(new Sharer(other, shared));
            }
        });
        neighbours.sort(Comparator.comparing(Sharer::shared).reversed().thenComparing(Sharer::tenant));
        Kind kind = !placements.dedications().dedication().of(tenant).isEmpty() ? Kind.DEDICATED
                : placements.isAssigned(tenant) ? Kind.ASSIGNED : Kind.STATELESS;
        boolean isRefused = placements.dedications().refused().containsKey(tenant);
        return new TenantExplanation(
                kind, Arrays.stream(placements.slots(tenant, policy)).boxed().toList(),
                Arrays.stream(own).boxed().toList(), placements.poolOf(own[0]),
                rules(policy, policies.subscriptions(tenant).size(), drops, isShareHeld, kind, isRefused),
                compared.size(), others[0] > compared.size(), sharing,
                neighbours.stream().limit(MAX_LISTED).toList());
    }

    private static List<String> rules(
            TenantPolicy policy, int subscriptions, List<String> drops, boolean isShareHeld, Kind kind,
            boolean isRefused) {
        List<String> rules = new ArrayList<>(drops);
        if (policy.ttlMillis() != Long.MAX_VALUE) {
            rules.add("older than " + Durations.format(policy.ttlMillis()) + ": dropped (ttl)");
        }
        if (policy.retryForMillis() != Long.MAX_VALUE) {
            rules.add("attempted, and " + Durations.format(policy.retryForMillis()) + " old: dead-letter ("
                    + DeadReason.RETRY_TIME_OVER.label() + ")");
        }
        if (policy.expireAfterMillis() != Long.MAX_VALUE) {
            rules.add("not attempted, and " + Durations.format(policy.expireAfterMillis()) + " old: dead-letter ("
                    + DeadReason.EXPIRED.label() + ")");
        }
        if (policy.paused()) {
            rules.add("any other: held in delay, because the tenant is paused");
            return rules;
        }
        policy.workloads().entrySet().stream().filter(workload -> workload.getValue().paused())
                .map(Map.Entry::getKey).sorted()
                .forEach(paused -> rules.add("of the workload " + paused + ", which is paused: held in delay"));
        if (subscriptions > 0) {
            rules.add("of a workload that some of its " + subscriptions
                    + " subscriptions match: done, with a delivery to each, for which these rules apply");
        }
        if (policy.agedAfterMillis() != Long.MAX_VALUE) {
            rules.add("older than " + Durations.format(policy.agedAfterMillis()) + ": aged");
        }
        policy.rateLimit()
                .ifPresent(limit -> rules.add(String.format(Locale.ROOT,
                        "over %.4g per second and a burst of %d: overflow (rate)",
                        1e9 / limit.intervalNanos(), limit.toleranceNanos() / limit.intervalNanos())));
        policy.growth().ifPresent(growth -> rules.add(
                String.format(Locale.ROOT,
                        "over %.4g times its long-term use, and over %.4g per second: overflow (rate)",
                        growth.multiple(), growth.floor())));
        if (policy.rateLimit().isEmpty() && isShareHeld) {
            rules.add("much more in hot than other tenants, while hot is behind: overflow (share)");
        }
        rules.add("any other: hot");
        rules.add("to the partition where it is expected to wait least, out of " + kind.place
                + (kind == Kind.DEDICATED ? "" : "; with a backlog there, overflow and aged out of all"));
        if (isRefused) {
            rules.add("dedicated partitions are requested, but none are available");
        }
        return rules;
    }
}
