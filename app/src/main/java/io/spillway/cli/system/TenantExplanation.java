package io.spillway.cli.system;

import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.RoutingRules;
import io.spillway.core.settings.Durations;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Where a tenant's items go and why, and who is there too. Bound: {@value #MAX_KNOWN} other tenants are looked at, the first
 * by name, and {@value #MAX_LISTED} listed.
 *
 * @param kind       which rule of placement is in force
 * @param slots      of its shard, also while it is isolated
 * @param partitions where its items go now
 * @param rules      of routing, in order, for people
 * @param known      other tenants that were looked at
 * @param isCutShort whether there are more
 * @param sharing    how many of them share how many of its partitions, most first; those that share none included
 * @param neighbours those that share most
 */
record TenantExplanation(
        Kind kind, List<Integer> slots, List<Integer> partitions, List<String> rules, int known, boolean isCutShort,
        Map<Integer, Integer> sharing, List<Sharer> neighbours) {
    private static final int MAX_KNOWN = 100_000;
    private static final int MAX_LISTED = 20;

    /**
     * Another tenant that shares partitions.
     *
     * @param shared partitions in common, 1 or more
     */
    record Sharer(String tenant, int shared) {}

    /** How a tenant is placed. */
    enum Kind {
        DEDICATED("dedicated", "has partitions of its own"),
        ASSIGNED("assigned", "has an assigned shard"),
        STATELESS("stateless", "has the shard that its name draws");

        private final String label;
        private final String text;

        Kind(String label, String text) {
            this.label = label;
            this.text = text;
        }

        String label() {
            return label;
        }

        String text() {
            return text;
        }
    }

    /**
     * Explains.
     *
     * @param sweptBeforeMillis as {@link io.spillway.kafka.view.Sweeps#coveredBeforeMillis} says
     * @param withPolicy        tenants with a policy of their own
     * @param isShareHeld       whether tenants without a rate are held to a share of hot
     */
    static TenantExplanation of(
            String tenant, TenantPolicies policies, PlacementView placements, ShardAssignments assignments,
            long sweptBeforeMillis, Collection<String> withPolicy, boolean isShareHeld) {
        TenantPolicy policy = policies.of(tenant);
        int[] own = placements.partitions(tenant, policy);
        Set<String> others = new TreeSet<>(withPolicy);
        others.addAll(assignments.all().keySet());
        others.remove(tenant);
        others.remove(ViewContent.ALL_TENANTS);
        Map<Integer, Integer> sharing = new TreeMap<>(Comparator.reverseOrder());
        List<Sharer> neighbours = new ArrayList<>();
        Set<Integer> ours = new HashSet<>(Arrays.stream(own).boxed().toList());
        others.stream().limit(MAX_KNOWN).forEach(other -> {
            int shared = (int) Arrays.stream(placements.partitions(other, policies.of(other))).filter(ours::contains).count();
            sharing.merge(shared, 1, Integer::sum);
            if (shared > 0) {
                neighbours.add(new Sharer(other, shared));
            }
        });
        neighbours.sort(Comparator.comparing(Sharer::shared).reversed().thenComparing(Sharer::tenant));
        Kind kind = !placements.dedications().dedication().of(tenant).isEmpty() ? Kind.DEDICATED
                : assignments.of(tenant).isPresent() ? Kind.ASSIGNED : Kind.STATELESS;
        return new TenantExplanation(
                kind, Arrays.stream(placements.slots(tenant, policy)).boxed().toList(), Arrays.stream(own).boxed().toList(),
                rules(policy, sweptBeforeMillis, isShareHeld, kind, placements.dedications().refused().containsKey(tenant)),
                Math.min(others.size(), MAX_KNOWN), others.size() > MAX_KNOWN, sharing,
                List.copyOf(neighbours.subList(0, Math.min(MAX_LISTED, neighbours.size()))));
    }

    private static List<String> rules(
            TenantPolicy policy, long sweptBeforeMillis, boolean isShareHeld, Kind kind, boolean isRefused) {
        List<String> rules = new ArrayList<>();
        if (policy.sweepable() && sweptBeforeMillis != RoutingRules.NO_SWEEP_MILLIS) {
            rules.add("enqueued before " + Instant.ofEpochMilli(sweptBeforeMillis) + ": dropped (sweep)");
        }
        if (policy.ttlMillis() != Long.MAX_VALUE) {
            rules.add("older than " + Durations.format(policy.ttlMillis()) + ": dropped (ttl)");
        }
        if (policy.agedAfterMillis() != Long.MAX_VALUE) {
            rules.add("older than " + Durations.format(policy.agedAfterMillis()) + ": aged");
        }
        policy.rateLimit().ifPresent(limit -> rules.add("over %.4g a second and a burst of %d: overflow (rate)".formatted(
                1e9 / limit.intervalNanos(), limit.toleranceNanos() / limit.intervalNanos())));
        policy.growth().ifPresent(growth -> rules.add(
                "over %.4g times its long-term use, and over %.4g a second: overflow (rate)".formatted(
                        growth.multiple(), growth.floor())));
        if (policy.rateLimit().isEmpty() && isShareHeld) {
            rules.add("far over what other tenants have in hot, while hot is behind: overflow (share)");
        }
        rules.add("any other: hot");
        rules.add("in each lane, to the partition of the least waiting work, of " + switch (kind) {
            case DEDICATED -> "its own (dedicated)";
            case ASSIGNED -> "its assigned shard";
            case STATELESS -> "its shard";
        });
        if (isRefused) {
            rules.add("dedicated partitions are wanted, but none can be spared");
        }
        return rules;
    }
}
