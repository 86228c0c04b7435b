package io.spillway.core.overload;

import io.spillway.core.item.TenantHash;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import java.util.Arrays;
import java.util.List;

/**
 * Overload protection of hot against tenants without a rate. While hot is behind ({@link HotLane}), a tenant whose
 * recent share ({@link HotShares}) is above the outlier limit ({@link OutlierThreshold}) is over its limit. While hot
 * is not behind, no tenant is.
 *
 * <p>Only admitted items count, so a contained tenant continues at the limit. A tenant with a rate is held to that rate
 * instead, but its items count. A single tenant is never contained.
 *
 * <p>One workload of a tenant gets {@value #WORKLOAD_SHARE} of the tenant's limit, so that the tenant's other workloads
 * are not contained with it. Of a single tenant, the workloads are compared as tenants are otherwise.
 *
 * <p>{@link #admits} is thread-safe and allocates nothing; {@link #update} is for one thread.
 */
public final class HotGuard {
    /** Interval of {@link #update}: a fraction of the half-life of the counts. */
    public static final long UPDATE_MILLIS = 100;
    /** Minimum outlier limit: bursts of this size within the counts' memory are random. */
    private static final long MIN_LIMIT = 16 * HotShares.UNIT;
    /** Maximum gap between two calls. After it all counts have decayed to 0. */
    private static final long MAX_GAP_MILLIS = 60_000;

    private static final double WORKLOAD_SHARE = 0.75;

    private final ProtectionSettings settings;
    private final HotShares shares = new HotShares();
    private final HotShares workloadShares = new HotShares();
    private final HotLane lane;
    /** Reused by {@link #update}. */
    private final long[] counts = new long[HotShares.MAX_TENANTS];
    private volatile long limit = OutlierThreshold.NO_LIMIT;
    private volatile long workloadLimit = OutlierThreshold.NO_LIMIT;
    private long lastUpdateMillis;

    /** Creates a guard without counts. */
    public HotGuard(ProtectionSettings settings) {
        this.settings = settings;
        this.lane = new HotLane(settings.targetMillis());
    }

    /**
     * Returns whether an item may enter hot, and counts it if so. To be called for items that no other rule keeps out
     * of hot.
     *
     * @param workload of the item within the tenant; empty for none, which is not compared with others
     */
    public boolean admits(TenantContext tenant, String workload, long nowMillis) {
        if (!settings.isOn()) {
            return true;
        }
        TenantPolicy policy = tenant.policy();
        boolean isLimited = policy.rateLimit().isEmpty() && lane.isBehind(nowMillis);
        double weight = policy.weight();
        if (!workload.isEmpty()
                && !add(workloadShares, TenantHash.key(workload, tenant.hash()), weight, isLimited, workloadLimit)
                || !add(shares, tenant.hash(), weight, isLimited, limit)) {
            return false;
        }
        lane.sent(nowMillis);
        return true;
    }

    private static boolean add(HotShares to, long hash, double weight, boolean isLimited, long limit) {
        return to.add(hash, weight, isLimited ? limit : OutlierThreshold.NO_LIMIT, limit);
    }

    /**
     * Updates the state of hot and the limit. To be called about every {@value #UPDATE_MILLIS} ms.
     *
     * @param reports of the live workers
     * @param read    latest backlog of hot's partitions; the same object again is ignored
     * @param routers live routers, including this one, 1 or more
     */
    public void update(List<LaneReport> reports, PartitionBacklog read, int routers, long nowMillis) {
        if (!settings.isOn()) {
            return;
        }
        long elapsedMillis = lastUpdateMillis == 0 ? 0 : Math.clamp(nowMillis - lastUpdateMillis, 0, MAX_GAP_MILLIS);
        lastUpdateMillis = nowMillis;
        shares.decay(elapsedMillis);
        workloadShares.decay(elapsedMillis);
        double budget = lane.update(reports, read, routers, nowMillis) * HotShares.MEMORY_SECONDS * HotShares.UNIT;
        limit = outlierLimit(shares, budget);
        workloadLimit = limit == OutlierThreshold.NO_LIMIT
                ? outlierLimit(workloadShares, budget) : (long) (limit * WORKLOAD_SHARE);
    }

    private long outlierLimit(HotShares of, double budget) {
        int number = of.copy(counts);
        Arrays.sort(counts, 0, number);
        return OutlierThreshold.above(counts, number, budget, settings.multiple(), MIN_LIMIT);
    }

    /** Returns whether hot is behind, so that outliers are held back. */
    public boolean isBehind(long nowMillis) {
        return settings.isOn() && lane.isBehind(nowMillis);
    }
}
