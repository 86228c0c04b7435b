package io.spillway.core.ratelimit;

import io.spillway.core.policy.BackPressure;
import io.spillway.core.policy.TenantPolicy;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Back pressure of one tenant by its own backlog: of what it offers, the share {@code maxDepth / depth} is admitted while
 * its depth is over {@code maxDepth}, and all of it otherwise.
 *
 * <p>The proportion is that of "Avoiding insurmountable queue backlogs" (Yanacek, Amazon Builders' Library): admission in
 * inverse proportion to the backlog. Why arrivals are thinned, and not a rate set from what was handled lately: a tenant
 * with a deep backlog is handled at whatever its neighbours leave it, so a rate made from that would punish it for them;
 * and two measured rates divided by each other follow every swing of both. With offers r, a capacity c for this tenant
 * and a maximum M the depth d moves by {@code r M / d - c} a second, which is above 0 below {@code d = M r / c} and below
 * 0 above it: from wherever it is, the backlog settles at the overload times the maximum, and at most c is admitted there
 * whatever is offered. A tenant that offers no more than its capacity gets below its maximum again and is whole.
 *
 * <p>The thinning is deterministic (the error diffusion of Bresenham's line, 1965): each offer adds the share to a credit,
 * and one that completes a whole is admitted. So of n offers at one share n times the share are admitted, give or take one,
 * evenly spread, where dice would leave gaps and bursts. Only where a credit begins is chance, so that several gateways do
 * not admit in step.
 *
 * <p>Owner: this object; each credit is changed under its map's lock for the key. Bound: {@code maxTenants} credits, of
 * tenants that are over their maximum now; further ones are thinned by dice alone.
 */
public final class LoadShedder {
    private final int maxTenants;
    private final Map<String, Double> credits = new ConcurrentHashMap<>();

    /**
     * Starts without any tenant over its maximum.
     *
     * @param maxTenants most credits at one time, 1 or more
     */
    public LoadShedder(int maxTenants) {
        if (maxTenants < 1) {
            throw new IllegalArgumentException("maxTenants = " + maxTenants + ": must be 1 or more");
        }
        this.maxTenants = maxTenants;
    }

    /**
     * Takes one offer of a tenant and says whether it is admitted.
     *
     * @param tenant  not null
     * @param policy  the tenant's, not null
     * @param waiting its items that wait now; empty when nobody knows, which admits
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
        double credit = credits.merge(tenant, random + share, (old, begun) -> old % 1 + share);
        return credit >= 1;
    }

    /**
     * The part of a tenant's offers that is admitted, above 0 to 1.
     *
     * @param waiting as in {@link #admit}
     */
    public static double share(TenantPolicy policy, OptionalLong waiting) {
        return policy.backPressure() == BackPressure.ACCEPT || waiting.isEmpty() || waiting.getAsLong() <= policy.maxDepth()
                ? 1
                : (double) Math.max(1, policy.maxDepth()) / waiting.getAsLong();
    }

    /** Tenants that are over their maximum, of those that have come lately. */
    public int size() {
        return credits.size();
    }
}
