package io.spillway.core.routing;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.policy.RateLimit;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.RateTable;
import io.spillway.core.settings.Durations;
import java.util.Optional;

/**
 * Routing rules of a decoded item that is not cancelled, in order: sweep, time to live, end, pause, age, rate, hot.
 */
public final class RoutingRules {
    /** End of what sweeps cover for a tenant without a completed sweep. */
    public static final long NO_SWEEP_MILLIS = Long.MIN_VALUE;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private static final Optional<Route> SWEPT = Optional.of(Route.SWEPT);
    private static final Optional<Route> PAST_TTL = Optional.of(Route.PAST_TTL);
    private static final Optional<Route> PAUSED = Optional.of(Route.PAUSED);
    private static final Optional<Route> AGED = Optional.of(Route.AGED);

    private RoutingRules() {}

    /** Returns whether an enqueue time is plausible: not before 2000, not after now. Others are clock errors. */
    public static boolean isPlausible(long enqueuedAtMillis, long nowMillis) {
        return enqueuedAtMillis >= ItemLimits.EARLIEST_MILLIS && enqueuedAtMillis <= nowMillis;
    }

    /**
     * Returns the time of an item that sweeps compare: the later of its two times. A slow clock of its producer alone
     * cannot make it look older than it is, nor can that of the broker.
     *
     * @param enqueuedAtMillis plausible creation time by the producer's clock
     * @param enteredAtMillis  time at which the broker appended it to ingress
     */
    public static long sweepAtMillis(long enqueuedAtMillis, long enteredAtMillis) {
        return Math.max(enqueuedAtMillis, enteredAtMillis);
    }

    /**
     * Returns the route of one item. The rate limiter counts only items that no earlier rule takes. Whether hot has
     * room for the item is for its workers to say: {@link ItemPlacement}.
     *
     * @param workload            its workload within the tenant, empty for none
     * @param sweepAtMillis       time that sweeps compare: {@link #sweepAtMillis}
     * @param freshSinceMillis    start of its age: its enqueue time, or the time of its replay when later; plausible
     * @param attempted           whether an attempt was made since {@code freshSinceMillis}
     * @param limit               its rate or grown limit; empty for none
     * @param coveredBeforeMillis end of what completed sweeps cover: {@link Sweep#coveredBeforeMillis}
     */
    public static Route route(
            TenantContext tenant, String workload, long sweepAtMillis, long freshSinceMillis, boolean attempted,
            Optional<RateLimit> limit, long coveredBeforeMillis, long nowMillis, RateTable rates) {
        Optional<Route> stale = staleness(
                sweepAtMillis, freshSinceMillis, attempted, tenant.policy(), workload, coveredBeforeMillis, nowMillis);
        if (stale.isPresent()) {
            return stale.get();
        }
        if (limit.isPresent() && !rates.admit(tenant, limit.get(), nowMillis * NANOS_PER_MILLI)) {
            return Route.OVERFLOW;
        }
        return Route.HOT;
    }

    /**
     * Applies the rules that need no state, with the parameters of {@link #route}: swept, past its time to live, a dead
     * letter at its end, paused, or aged; empty for a fresh item.
     */
    public static Optional<Route> staleness(
            long sweepAtMillis, long freshSinceMillis, boolean attempted, TenantPolicy policy, String workload,
            long coveredBeforeMillis, long nowMillis) {
        if (policy.sweepable() && sweepAtMillis < coveredBeforeMillis) {
            return SWEPT;
        }
        long ageMillis = nowMillis - freshSinceMillis;
        if (ageMillis > policy.ttlMillis()) {
            return PAST_TTL;
        }
        if (ageMillis >= limitMillis(attempted, policy)) {
            return Optional.of(end(attempted, policy));
        }
        if (policy.isPaused(workload)) {
            return PAUSED;
        }
        return ageMillis > policy.agedAfterMillis() ? AGED : Optional.empty();
    }

    /**
     * Returns when an item becomes a dead letter without a further attempt, in epoch milliseconds: {@code retryFor}
     * after the start of its age if it was attempted, {@code expireAfter} otherwise; {@link Long#MAX_VALUE} for never.
     *
     * @param attempted        as for {@link #route}
     * @param freshSinceMillis as for {@link #route}
     */
    public static long endMillis(boolean attempted, long freshSinceMillis, TenantPolicy policy) {
        long limitMillis = limitMillis(attempted, policy);
        return limitMillis >= Long.MAX_VALUE - Math.max(0, freshSinceMillis)
                ? Long.MAX_VALUE : freshSinceMillis + limitMillis;
    }

    /** Returns the end of an item that was never attempted because all attempts of its tenant failed for so long. */
    public static Route unattemptedEnd(TenantPolicy policy) {
        return new Route.DeadLetter(DeadReason.RETRY_TIME_OVER,
                "never attempted: all attempts of its tenant failed for "
                        + Durations.format(policy.retryForMillis()) + " (retryFor)");
    }

    private static long limitMillis(boolean attempted, TenantPolicy policy) {
        return attempted ? policy.retryForMillis() : policy.expireAfterMillis();
    }

    private static Route end(boolean attempted, TenantPolicy policy) {
        return attempted
                ? new Route.DeadLetter(DeadReason.RETRY_TIME_OVER, "still failing "
                        + Durations.format(policy.retryForMillis()) + " after it was enqueued or replayed (retryFor)")
                : new Route.DeadLetter(DeadReason.EXPIRED, "no attempt within "
                        + Durations.format(policy.expireAfterMillis())
                        + " after it was enqueued or replayed (expireAfter)");
    }
}
