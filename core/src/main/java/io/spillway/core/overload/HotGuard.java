package io.spillway.core.overload;

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
 * <p>{@link #admits} is thread-safe and allocates nothing; {@link #update} is for one thread.
 */
public final class HotGuard {
    /** Interval of {@link #update}: a fraction of the half-life of the counts. */
    public static final long UPDATE_MILLIS = 100;
    /** Minimum outlier limit: bursts of this size within the counts' memory are random. */
    private static final long MIN_LIMIT = 16 * HotShares.UNIT;
    /** Maximum gap between two calls. After it all counts have decayed to 0. */
    private static final long MAX_GAP_MILLIS = 60_000;

    private final ProtectionSettings settings;
    private final HotShares shares = new HotShares();
    private final HotLane lane;
    /** Reused by {@link #update}. */
    private final long[] counts = new long[HotShares.MAX_TENANTS];
    private volatile long limit = OutlierThreshold.NO_LIMIT;
    private long lastUpdateMillis;

    /** Creates a guard without counts. */
    public HotGuard(ProtectionSettings settings) {
        this.settings = settings;
        this.lane = new HotLane(settings.targetMillis());
    }

    /**
     * Returns whether an item may enter hot, and counts it if so. To be called for items that no other rule keeps out
     * of hot.
     */
    public boolean admits(TenantContext tenant, long nowMillis) {
        if (!settings.isOn()) {
            return true;
        }
        TenantPolicy policy = tenant.policy();
        boolean isLimited = policy.rateLimit().isEmpty() && lane.isBehind(nowMillis);
        if (!shares.add(tenant.hash(), policy.weight(), isLimited ? limit : OutlierThreshold.NO_LIMIT)) {
            return false;
        }
        lane.sent(nowMillis);
        return true;
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
        shares.decay(lastUpdateMillis == 0 ? 0 : Math.clamp(nowMillis - lastUpdateMillis, 0, MAX_GAP_MILLIS));
        lastUpdateMillis = nowMillis;
        double perSecond = lane.update(reports, read, routers, nowMillis);
        int tenants = shares.copy(counts);
        Arrays.sort(counts, 0, tenants);
        limit = OutlierThreshold.above(
                counts, tenants, perSecond * HotShares.MEMORY_SECONDS * HotShares.UNIT, settings.multiple(), MIN_LIMIT);
    }

    /** Returns whether hot is behind, so that outliers are held back. */
    public boolean isBehind(long nowMillis) {
        return settings.isOn() && lane.isBehind(nowMillis);
    }
}
