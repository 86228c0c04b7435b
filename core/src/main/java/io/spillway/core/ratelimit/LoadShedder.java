package io.spillway.core.ratelimit;

import io.spillway.core.policy.BackPressure;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.TenantPolicy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Load shedding by a tenant's own backlog: when it needs longer than {@code maxDrain}, the share {@code maxDrain /
 * needed time} of its offers is admitted, and above {@code maxDepth} the share {@code maxDepth / depth}. The smaller
 * one applies ("Avoiding insurmountable queue backlogs", Yanacek, Amazon Builders' Library).
 *
 * <p>A share is stable where a rate limit set from recent throughput is not: that rate would depend on the load of
 * other tenants. With offers r, capacity c and maximum M, the depth changes by {@code r M / d - c} a second. It settles
 * at {@code d = M r / c}, and there at most c is admitted.
 *
 * <p>The selection is deterministic error diffusion (Bresenham, 1965): each offer adds the share to a credit, and an
 * offer that completes a whole is admitted. Of n offers at one share, n times the share are admitted, give or take one,
 * evenly spread. Credits start at a random value, so that several gateways do not admit in step.
 *
 * <p>Owner: this object; each credit is changed under its map's lock for the key. Bound: {@code maxTenants} credits, of
 * tenants that are over their maximum now; offers of further tenants are admitted at random with their share.
 */
public final class LoadShedder {
    private final int maxTenants;
    final Map<String, Double> credits = new ConcurrentHashMap<>();

    /** Creates a shedder with at most this number of credits, 1 or more. */
    public LoadShedder(int maxTenants) {
        if (maxTenants < 1) {
            throw new IllegalArgumentException("maxTenants = " + maxTenants + ": must be 1 or more");
        }
        this.maxTenants = maxTenants;
    }

    /**
     * Counts one offer of a tenant and returns whether it is admitted.
     *
     * @param random at least 0 and below 1
     */
    public boolean admit(String tenant, TenantPolicy policy, Backlog backlog, double random) {
        double share = share(policy, backlog);
        if (share >= 1) {
            credits.remove(tenant);
            return true;
        }
        if (credits.size() >= maxTenants && !credits.containsKey(tenant)) {
            return random < share;
        }
        double credit = credits.merge(tenant, random + share, (old, initial) -> old % 1 + share);
        return credit >= 1;
    }

    /** Returns the share of a tenant's offers that is admitted, above 0 to 1. */
    public static double share(TenantPolicy policy, Backlog backlog) {
        return policy.backPressure() == BackPressure.ACCEPT
                ? 1
                : Math.min(1, Math.min(byDrain(policy, backlog), byDepth(policy, backlog)));
    }

    /** Returns the limit that gives the {@link #share}: {@code maxDrain} or {@code maxDepth}. */
    public static PolicyField limit(TenantPolicy policy, Backlog backlog) {
        return byDrain(policy, backlog) <= byDepth(policy, backlog) ? PolicyField.MAX_DRAIN : PolicyField.MAX_DEPTH;
    }

    /** Infinite for a backlog that needs no time. */
    private static double byDrain(TenantPolicy policy, Backlog backlog) {
        return policy.maxDrainMillis() / backlog.drainMillis();
    }

    /** Infinite for an empty backlog. */
    private static double byDepth(TenantPolicy policy, Backlog backlog) {
        return (double) policy.count(PolicyField.MAX_DEPTH) / backlog.waiting();
    }
}
