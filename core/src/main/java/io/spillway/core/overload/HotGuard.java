package io.spillway.core.overload;

import io.spillway.core.policy.TenantPolicy;
import java.util.Arrays;
import java.util.List;

/**
 * Contains tenants that have no rate: while hot is behind ({@link HotLane}), a tenant that has put far more into it lately than
 * the others ({@link HotShares}, {@link OutlierThreshold}) is over its limit. While hot is not behind nobody is.
 *
 * <p>Only what is let into hot counts, so a tenant that is held back goes on at the limit, neither shut out nor free. A tenant
 * with a rate is held to that instead, though its items count. Alone, a tenant has nobody to make room for.
 *
 * <p>{@link #admits} is for any number of threads and allocates nothing; {@link #look} is for one.
 */
public final class HotGuard {
    /** How often to {@link #look}: a few times in the half-life of the counts. */
    public static final long LOOK_EVERY_MILLIS = 100;
    /** Of items within the counts' memory: as many come together by chance. */
    private static final long LEAST = 16 * HotShares.UNIT;
    /** After a longer gap all counts are gone. */
    private static final long LONGEST_GAP_MILLIS = 60_000;

    private final ProtectionSettings settings;
    private final HotShares shares;
    private final HotLane lane;
    /** Scratch of {@link #look}. */
    private final long[] counts = new long[HotShares.MAX_TENANTS];
    private volatile long limit = OutlierThreshold.NOBODY;
    private long lookedMillis;

    /**
     * Knows nothing yet.
     *
     * @param settings not null
     * @param seed     of its tables; nobody who can name a tenant should know it
     */
    public HotGuard(ProtectionSettings settings, long seed) {
        this.settings = settings;
        this.shares = new HotShares(seed);
        this.lane = new HotLane(settings.targetMillis());
    }

    /** One that holds nobody back. */
    public static HotGuard off() {
        return new HotGuard(ProtectionSettings.OFF, 0);
    }

    /**
     * Asks for an item that no other rule keeps out of hot, and counts it if it may go there.
     *
     * @param tenant    not null
     * @param policy    the tenant's, not null
     * @param nowMillis epoch milliseconds
     */
    public boolean admits(String tenant, TenantPolicy policy, long nowMillis) {
        if (!settings.isOn()) {
            return true;
        }
        boolean isHeld = policy.rateLimit().isEmpty() && lane.isBehind(nowMillis);
        if (!shares.add(tenant, policy.weight(), isHeld ? limit : OutlierThreshold.NOBODY)) {
            return false;
        }
        lane.sent(nowMillis);
        return true;
    }

    /**
     * Takes in what is known of hot. To be called every {@value #LOOK_EVERY_MILLIS} ms or so.
     *
     * @param reports   of the workers that live, not null
     * @param read      what was read last of the partitions of hot, not null; the same object again tells nothing new
     * @param routers   that send to hot, this one too, 1 or more
     * @param nowMillis as in {@link #admits}
     */
    public void look(List<LaneReport> reports, PartitionBacklog read, int routers, long nowMillis) {
        if (!settings.isOn()) {
            return;
        }
        shares.fade(lookedMillis == 0 ? 0 : Math.clamp(nowMillis - lookedMillis, 0, LONGEST_GAP_MILLIS));
        lookedMillis = nowMillis;
        double perSecond = lane.look(reports, read, routers, nowMillis);
        int tenants = shares.copy(counts);
        Arrays.sort(counts, 0, tenants);
        limit = OutlierThreshold.above(
                counts, tenants, perSecond * HotShares.MEMORY_SECONDS * HotShares.UNIT, settings.multiple(), LEAST);
    }

    /** Whether hot is behind, so that whoever is far over is held back. */
    public boolean isBehind(long nowMillis) {
        return settings.isOn() && lane.isBehind(nowMillis);
    }

    /** Tenants whose traffic is counted now. */
    public int tenants() {
        return shares.size();
    }
}
