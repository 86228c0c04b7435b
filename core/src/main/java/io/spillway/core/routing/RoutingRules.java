package io.spillway.core.routing;

import io.spillway.core.overload.HotGuard;
import io.spillway.core.policy.RateLimit;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.RateTable;
import java.util.Optional;

/** Routing order for an item that could be read: sweep, time to live, age, rate, share, hot. */
public final class RoutingRules {
    /** Before the year 2000 nothing was enqueued: such a time is a mistake of its clock. Epoch milliseconds. */
    public static final long EARLIEST_MILLIS = 946_684_800_000L;
    /** What stands for a tenant without a completed sweep; it covers nothing. */
    public static final long NO_SWEEP_MILLIS = Long.MIN_VALUE;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private static final Optional<Route> SWEPT = Optional.of(Route.SWEPT);
    private static final Optional<Route> EXPIRED = Optional.of(Route.EXPIRED);
    private static final Optional<Route> AGED = Optional.of(Route.AGED);

    private RoutingRules() {}

    /** Whether a time can be believed: not before 2000, not after now. */
    public static boolean isPlausible(long enqueuedAtMillis, long nowMillis) {
        return enqueuedAtMillis >= EARLIEST_MILLIS && enqueuedAtMillis <= nowMillis;
    }

    /**
     * Decides on one item. The rate limiter, and then the guard of hot, are asked and charged only for an item that no
     * earlier rule takes.
     *
     * @param tenant           the item's tenant, not null
     * @param enqueuedAtMillis when it was made, plausible (see {@link #isPlausible}), epoch milliseconds
     * @param freshSinceMillis from when its age counts: {@code enqueuedAtMillis}, or the time of its replay when later
     * @param policy           the tenant's policy, not null
     * @param limit            its rate, or the limit that has grown for it; empty for none
     * @param sweepStartMillis start of the latest completed sweep that covers the tenant, or {@link #NO_SWEEP_MILLIS}
     * @param nowMillis        epoch milliseconds
     * @param rates            the rate limiter's states, not null
     * @param guard            of hot, not null
     * @return never a dead letter
     */
    public static Route route(
            String tenant,
            long enqueuedAtMillis,
            long freshSinceMillis,
            TenantPolicy policy,
            Optional<RateLimit> limit,
            long sweepStartMillis,
            long nowMillis,
            RateTable rates,
            HotGuard guard) {
        Optional<Route> stale = staleness(enqueuedAtMillis, freshSinceMillis, policy, sweepStartMillis, nowMillis);
        if (stale.isPresent()) {
            return stale.get();
        }
        if (limit.isPresent() && !rates.admit(tenant, limit.get(), nowMillis * NANOS_PER_MILLI)) {
            return Route.OVERFLOW;
        }
        return guard.admits(tenant, policy, nowMillis) ? Route.HOT : Route.SURPLUS;
    }

    /**
     * The rules that only time decides: what may have become of an item since it was last looked at.
     *
     * @return dropped by a sweep, dropped past its time to live, or aged; empty for a fresh item. Parameters are those
     *         of {@link #route}
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
}
