package io.spillway.core.routing;

import io.spillway.core.overload.HotGuard;
import io.spillway.core.policy.RateLimit;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.RateTable;
import java.util.Optional;

/** Routing rules of a decoded item, in order: sweep, time to live, age, rate, share, hot. */
public final class RoutingRules {
    /** Earliest plausible enqueue time: the year 2000, epoch milliseconds. Earlier times are clock errors. */
    public static final long EARLIEST_MILLIS = 946_684_800_000L;
    /** Sweep start for a tenant without a completed sweep. */
    public static final long NO_SWEEP_MILLIS = Long.MIN_VALUE;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private static final Optional<Route> SWEPT = Optional.of(Route.SWEPT);
    private static final Optional<Route> EXPIRED = Optional.of(Route.EXPIRED);
    private static final Optional<Route> AGED = Optional.of(Route.AGED);

    private RoutingRules() {}

    /** Returns whether an enqueue time is plausible: not before 2000, not after now. */
    public static boolean isPlausible(long enqueuedAtMillis, long nowMillis) {
        return enqueuedAtMillis >= EARLIEST_MILLIS && enqueuedAtMillis <= nowMillis;
    }

    /**
     * Returns the route of one item, which is never a dead letter. The rate limiter, and then the overload protection,
     * count only items that no earlier rule takes.
     *
     * @param enqueuedAtMillis plausible (see {@link #isPlausible})
     * @param freshSinceMillis start of its age: {@code enqueuedAtMillis}, or the time of its replay when later
     * @param limit            its rate or grown limit; empty for none
     * @param sweepStartMillis start of the latest completed sweep of the tenant, or {@link #NO_SWEEP_MILLIS}
     * @param guard            overload protection of hot
     */
    public static Route route(
            TenantContext tenant, long enqueuedAtMillis, long freshSinceMillis, Optional<RateLimit> limit,
            long sweepStartMillis, long nowMillis, RateTable rates, HotGuard guard) {
        Optional<Route> stale =
                staleness(enqueuedAtMillis, freshSinceMillis, tenant.policy(), sweepStartMillis, nowMillis);
        if (stale.isPresent()) {
            return stale.get();
        }
        if (limit.isPresent() && !rates.admit(tenant, limit.get(), nowMillis * NANOS_PER_MILLI)) {
            return Route.OVERFLOW;
        }
        return guard.admits(tenant, nowMillis) ? Route.HOT : Route.SURPLUS;
    }

    /**
     * Applies the rules that depend only on time, with the parameters of {@link #route}: swept, expired or aged; empty
     * for a fresh item.
     */
    public static Optional<Route> staleness(
            long enqueuedAtMillis, long freshSinceMillis, TenantPolicy policy, long sweepStartMillis, long nowMillis) {
        if (policy.sweepable() && enqueuedAtMillis < sweepStartMillis) {
            return SWEPT;
        }
        long ageMillis = nowMillis - freshSinceMillis;
        if (ageMillis > policy.ttlMillis()) {
            return EXPIRED;
        }
        return ageMillis > policy.agedAfterMillis() ? AGED : Optional.empty();
    }

    /**
     * Returns when an item ends without success, epoch milliseconds: {@code retryFor} or {@code expireAfter} after it
     * became fresh; {@link Long#MAX_VALUE} for never.
     *
     * @param attempted        whether an attempt was made
     * @param freshSinceMillis start of its age
     */
    public static long endMillis(boolean attempted, long freshSinceMillis, TenantPolicy policy) {
        long patienceMillis = attempted ? policy.retryForMillis() : policy.expireAfterMillis();
        return freshSinceMillis > Long.MAX_VALUE - patienceMillis ? Long.MAX_VALUE : freshSinceMillis + patienceMillis;
    }
}
