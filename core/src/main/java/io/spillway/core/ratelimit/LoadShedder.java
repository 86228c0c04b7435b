package io.spillway.core.ratelimit;

import io.spillway.core.policy.BackPressure;
import io.spillway.core.policy.TenantPolicy;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Load shedding by a tenant's own backlog: above {@code maxDepth}, the share {@code maxDepth / depth} of its offers is
 * admitted ("Avoiding insurmountable queue backlogs", Yanacek, Amazon Builders' Library).
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
     * @param waiting the tenant's waiting items; empty when not known, which admits
     * @param random  at least 0 and below 1
     */
    public boolean admit(String tenant, TenantPolicy policy, OptionalLong waiting, double random) {
        double share = share(policy, waiting);
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

    /**
     * Returns the share of a tenant's offers that is admitted, above 0 to 1; 1 when its waiting items are not known.
     */
    public static double share(TenantPolicy policy, OptionalLong waiting) {
        return policy.backPressure() == BackPressure.ACCEPT || waiting.orElse(0) <= policy.maxDepth()
                ? 1
                : (double) Math.max(1, policy.maxDepth()) / waiting.getAsLong();
    }
}
