package io.spillway.core.overload;

import io.spillway.core.hashing.TenantHash;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Overload protection of hot at one worker: keeps what waits there within the target, so that fresh items do not wait
 * behind a backlog. While hot is behind ({@link HotLane}), a tenant's items beyond its limit go to overflow. The limit
 * of a tenant's recent share ({@link DecayingCounts}) falls with the {@link HotLane#excess} of the backlog:
 *
 * <ul>
 *   <li>without excess: the outlier limit. Only tenants that use far more than the others have excess;
 *   <li>at one step: the fair share of the worker. If all tenants together ask for more than it can do, all have
 *       excess;
 *   <li>from {@value #FULL_STEPS} steps on: the fair share of a quarter of the worker, and of all tenants together
 *       half of what it can do. So hot empties, and who uses little stays in it whatever waits there;
 *   <li>between the steps: between these limits, and at least one item. Who has had none lately comes first.
 * </ul>
 *
 * <p>Only admitted items count, so a contained tenant continues at the limit. A tenant with a rate is held to that rate
 * instead, until hot is nearly full; its items count.
 *
 * <p>One workload of a tenant gets {@value #WORKLOAD_SHARE} of the tenant's limit, so that the tenant's other workloads
 * are not contained with it. Of a single tenant, the workloads are compared as tenants are otherwise.
 *
 * <p>{@link #admits} is thread-safe and allocates nothing; {@link #update} is for one thread.
 */
final class HotGuard {
    /** Minimum outlier limit: bursts of this size within the counts' memory are random. */
    private static final long MIN_OUTLIER = 16 * DecayingCounts.UNIT;
    /** Added to the fair share: of a tenant with few items, one more or less is random. */
    private static final long FAIR_MARGIN = DecayingCounts.UNIT;
    private static final double WORKLOAD_SHARE = 0.75;
    private static final double FULL_STEPS = 6;
    private static final double FULL_SHARE = 0.25;
    private static final double FULL_ADMITS = 0.5;

    /** Of guards that are off: a fleet has one for each partition. */
    private static final DecayingCounts UNUSED = new DecayingCounts();

    private final ProtectionSettings settings;
    private final DecayingCounts shares;
    private final DecayingCounts workloadShares;
    final HotLane lane;
    private volatile Limits limits =
            new Limits(DecayingCounts.NO_LIMIT, DecayingCounts.NO_LIMIT, DecayingCounts.NO_LIMIT);
    private volatile Limits workloadLimits = limits;
    /** Items that may enter hot until the next update if hot is full. */
    private final AtomicLong fullAdmits = new AtomicLong();
    /** Whether there is one tenant at most. */
    private volatile boolean alone;

    /** Limits of recent use in {@link DecayingCounts#UNIT}s, none above the one before. */
    private record Limits(long outlier, long fair, long full) {
        long at(double excess) {
            if (excess <= 0) {
                return outlier;
            }
            return excess < 1 ? between(outlier, fair, excess)
                    : between(fair, full, Math.min(1, (excess - 1) / (FULL_STEPS - 1)));
        }

        private static long between(long from, long to, double part) {
            return (long) (from * Math.pow((double) to / from, part));
        }

        Limits times(double share) {
            return new Limits(
                    Math.max(2 * FAIR_MARGIN, (long) (outlier * share)),
                    Math.max(2 * FAIR_MARGIN, (long) (fair * share)),
                    Math.max(DecayingCounts.UNIT, (long) (full * share)));
        }
    }

    /** Creates a guard without counts. */
    HotGuard(ProtectionSettings settings) {
        this.settings = settings;
        this.shares = settings.isOn() ? new DecayingCounts() : UNUSED;
        this.workloadShares = settings.isOn() ? new DecayingCounts() : UNUSED;
        this.lane = new HotLane(settings.targetMillis());
    }

    /**
     * Returns whether an item may enter hot here, and counts it if so. To be called for items that no other rule keeps
     * out of hot.
     *
     * @param workload    of the item within the tenant; empty for none, which is not compared with others
     * @param isAttempted whether it is a retry: older work, which may enter only where it delays no fresh item
     */
    boolean admits(TenantContext tenant, String workload, boolean isAttempted, long nowMillis) {
        if (!settings.isOn()) {
            lane.sent(nowMillis);
            return true;
        }
        if (isAttempted && !lane.hasIdle(nowMillis)) {
            return false;
        }
        TenantPolicy policy = tenant.policy();
        double excess = lane.isBehind(nowMillis) ? lane.excess(nowMillis) : Double.NEGATIVE_INFINITY;
        boolean isFull = excess >= FULL_STEPS;
        if (isFull && fullAdmits.get() <= 0) {
            return false;
        }
        boolean isLimited = excess > Double.NEGATIVE_INFINITY
                && (policy.rateLimit().isEmpty() || excess >= 2);
        double weight = policy.weight();
        if (!workload.isEmpty()
                && !add(workloadShares, TenantHash.key(workload, tenant.hash()), weight, isLimited, excess,
                        workloadLimits)
                || !add(shares, tenant.hash(), weight, isLimited && !(alone && !workload.isEmpty()), excess, limits)) {
            return false;
        }
        if (isFull) {
            fullAdmits.getAndDecrement();
        }
        lane.sent(nowMillis);
        return true;
    }

    private static boolean add(
            DecayingCounts to, long hash, double weight, boolean isLimited, double excess, Limits limits) {
        return to.add(hash, weight, isLimited ? limits.at(excess) : DecayingCounts.NO_LIMIT, limits.outlier);
    }

    /**
     * Updates the backlog and the limits, as {@link HotLane#update} does.
     *
     * @param elapsedMillis since the last call, 0 or more
     * @param counts        array of length {@link DecayingCounts#MAX_TENANTS} for use during the call
     */
    void update(
            Optional<WorkerReport> latest, long unfinished, boolean isNew, int routers, long elapsedMillis,
            long nowMillis, long[] counts) {
        double perSecond = lane.update(latest, unfinished, isNew, routers, nowMillis);
        if (!settings.isOn()) {
            return;
        }
        fullAdmits.set(1 + (long) (perSecond * FULL_ADMITS * elapsedMillis / 1e3));
        shares.decay(elapsedMillis);
        workloadShares.decay(elapsedMillis);
        double budget = perSecond * DecayingCounts.MEMORY_SECONDS * DecayingCounts.UNIT;
        int tenants = shares.copy(counts);
        limits = limits(counts, tenants, budget);
        alone = tenants < 2;
        workloadLimits = alone ? limits(counts, workloadShares.copy(counts), budget) : limits.times(WORKLOAD_SHARE);
    }

    private Limits limits(long[] counts, int number, double budget) {
        Arrays.sort(counts, 0, number);
        long fair = FAIR_MARGIN + Math.max(DecayingCounts.UNIT, OutlierThreshold.fairShare(counts, number, budget));
        return new Limits(OutlierThreshold.outlier(counts, number, fair, settings.multiple(), MIN_OUTLIER), fair,
                Math.max(DecayingCounts.UNIT, OutlierThreshold.fairShare(counts, number, budget * FULL_SHARE)));
    }

    /** Returns whether hot is behind here, so that excess is held back. */
    boolean isBehind(long nowMillis) {
        return settings.isOn() && lane.isBehind(nowMillis);
    }
}
