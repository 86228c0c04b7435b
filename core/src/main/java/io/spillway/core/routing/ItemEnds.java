package io.spillway.core.routing;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.DropReason;
import io.spillway.core.policy.Subscription;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.settings.Durations;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * When an item ends without being done. The first row that applies decides. Router, delay stage, worker,
 * {@code explain} and replays ask this class.
 *
 * <table>
 * <caption>Ends</caption>
 * <tr><th>an item ends</th><th>at</th><th>as</th></tr>
 * <tr><td>when a cancel covers it</td><td>its entry is before the cancel</td><td>dropped: cancelled</td></tr>
 * <tr><td>when a completed sweep covers it</td><td>{@link ItemTimes#sweepAtMillis} is before the sweep less the
 * margin</td><td>dropped: sweep</td></tr>
 * <tr><td>past {@code ttl}</td><td>age &gt; {@code ttl}</td><td>dropped: ttl</td></tr>
 * <tr><td>still failing</td><td>attempted, and age &ge; {@code retryFor}</td><td>dead letter: retry-time-over</td></tr>
 * <tr><td>never attempted</td><td>age &ge; {@code expireAfter}</td><td>dead letter: expired</td></tr>
 * <tr><td>never attempted, hopeless</td><td>age &ge; {@code retryFor}, and all attempts of its tenant, or of its
 * subscription, failed for as long: its attempt would most likely fail too, and more such items arrive than can be
 * attempted</td><td>dead letter: retry-time-over</td></tr>
 * <tr><td>after a failure of its own</td><td>its blame reaches {@code attempts}: {@link #isUsedUp}</td><td>dead letter:
 * attempts-used-up</td></tr>
 * <tr><td>when the handler says so, does not return, or its worker dies with it</td><td></td><td>dead letter:
 * final-failure, stuck, killed-worker</td></tr>
 * </table>
 *
 * <p>An item that does not end may have to leave: a paused one to delay, and one older than {@code agedAfter} to aged.
 *
 * <p>Age is counted from {@link ItemTimes#ageSinceMillis} to now, less a step by which the clock went forward at once
 * ({@link ClockSteps}). That correction is made here alone, and the clock is read only for an item that would end or
 * leave. Safe for any number of threads if its parts are.
 */
public final class ItemEnds {
    /** End of what sweeps cover for a tenant without a completed sweep. */
    public static final long NO_SWEEP_MILLIS = Long.MIN_VALUE;
    /** No tenant's attempts are known to fail. */
    public static final Failures NO_FAILURES = (tenant, workload, millis) -> false;

    private static final Optional<Route> SWEPT = Optional.of(Route.SWEPT);
    private static final Optional<Route> PAST_TTL = Optional.of(Route.PAST_TTL);
    private static final Optional<Route> PAUSED = Optional.of(Route.PAUSED);
    private static final Optional<Route> AGED = Optional.of(Route.AGED);

    /** Failures of an item's own count in thousandths: a whole attempt. */
    private static final long WHOLE_ATTEMPT = 1_000;

    private final Sweeps sweeps;
    private final Failures failures;
    private final LongSupplier clockAheadMillis;

    /** Completed sweeps in force. */
    @FunctionalInterface
    public interface Sweeps {
        /**
         * Returns the time before which they cover the items of a workload, as {@link Sweep#coveredBeforeMillis} does,
         * or {@link #NO_SWEEP_MILLIS}. Called for sweepable tenants only.
         *
         * @param workload     empty for none
         * @param marginMillis of the tenant's policy
         */
        long coveredBeforeMillis(String tenant, String workload, long marginMillis, long nowMillis);
    }

    /** Attempts of a worker. */
    @FunctionalInterface
    public interface Failures {
        /**
         * Returns whether all attempts of a tenant, or of the subscription with this workload, failed for so long, in
         * milliseconds.
         *
         * @param workload empty for none
         */
        boolean hasFailedFor(String tenant, String workload, long millis);
    }

    /**
     * First limit of time that an unfinished item will meet.
     *
     * @param atMillis when, epoch milliseconds
     * @param reason   label of the {@link DropReason} or {@link DeadReason}
     */
    public record Limit(long atMillis, String reason) {}

    /**
     * Creates the rules of one process.
     *
     * @param clockAheadMillis by how much the clock went forward at once, 0 or more
     */
    public ItemEnds(Sweeps sweeps, Failures failures, LongSupplier clockAheadMillis) {
        this.sweeps = sweeps;
        this.failures = failures;
        this.clockAheadMillis = clockAheadMillis;
    }

    /**
     * Returns whether an item ends or leaves now: swept, past its time to live, a dead letter, paused, or aged; empty
     * for one that stays.
     */
    public Optional<Route> now(String tenant, String workload, ItemTimes times, TenantPolicy policy, long nowMillis) {
        Optional<Route> end = at(tenant, workload, times, policy, nowMillis, 0);
        if (end.isEmpty()) {
            return end;
        }
        long aheadMillis = clockAheadMillis.getAsLong();
        return aheadMillis == 0 ? end : at(tenant, workload, times, policy, nowMillis - aheadMillis, aheadMillis);
    }

    private Optional<Route> at(
            String tenant, String workload, ItemTimes times, TenantPolicy policy, long atMillis, long aheadMillis) {
        if (policy.sweepable() && times.sweepAtMillis()
                < sweeps.coveredBeforeMillis(tenant, workload, policy.sweepMarginMillis(), atMillis)) {
            return SWEPT;
        }
        long ageMillis = atMillis - times.ageSinceMillis();
        if (ageMillis > policy.ttlMillis()) {
            return PAST_TTL;
        }
        if (ageMillis >= limitMillis(times, policy)) {
            return Optional.of(times.attempted()
                    ? over("still failing " + Durations.format(policy.retryForMillis())
                            + " after it was enqueued or replayed (retryFor)")
                    : new Route.DeadLetter(DeadReason.EXPIRED, "no attempt within "
                            + Durations.format(policy.expireAfterMillis())
                            + " after it was enqueued or replayed (expireAfter)"));
        }
        if (!times.attempted() && ageMillis >= policy.retryForMillis()
                && failures.hasFailedFor(tenant, workload, policy.retryForMillis() + aheadMillis)) {
            return Optional.of(over("never attempted: all attempts of its "
                    + (Subscription.isDelivery(workload) ? "subscription" : "tenant") + " failed for "
                    + Durations.format(policy.retryForMillis()) + " (retryFor)"));
        }
        if (policy.isPaused(workload)) {
            return PAUSED;
        }
        return ageMillis > policy.agedAfterMillis() ? AGED : Optional.empty();
    }

    private static Route over(String detail) {
        return new Route.DeadLetter(DeadReason.RETRY_TIME_OVER, detail);
    }

    /** Returns whether an item could end or be hopeless by its times alone: whether {@link #now} is worth a call. */
    public static boolean mayBeOver(ItemTimes times, TenantPolicy policy, long nowMillis) {
        long ageMillis = nowMillis - times.ageSinceMillis();
        return ageMillis > policy.ttlMillis()
                || ageMillis >= Math.min(limitMillis(times, policy), policy.retryForMillis());
    }

    /** Returns the first limit of time that an unfinished item will meet; empty for none. */
    public static Optional<Limit> next(ItemTimes times, TenantPolicy policy) {
        long limitMillis = limitMillis(times, policy);
        // Items up to their time to live are handled, and those at their end are not.
        boolean isTtl = policy.ttlMillis() < limitMillis;
        long afterMillis = isTtl ? policy.ttlMillis() : limitMillis;
        return afterMillis == Long.MAX_VALUE ? Optional.empty()
                : Optional.of(new Limit(times.ageSinceMillis() + afterMillis, isTtl ? DropReason.TTL.label()
                        : (times.attempted() ? DeadReason.RETRY_TIME_OVER : DeadReason.EXPIRED).label()));
    }

    /**
     * Returns from when {@link #now} would end an item, epoch milliseconds; {@link Long#MAX_VALUE} for never. After a
     * step of the clock that is later for an item whose time seems over, but not later than the step counts.
     */
    public long endMillis(ItemTimes times, TenantPolicy policy, long nowMillis) {
        long limitMillis = limitMillis(times, policy);
        long afterMillis = policy.ttlMillis() < limitMillis ? policy.ttlMillis() + 1 : limitMillis;
        long endMillis = afterMillis == Long.MAX_VALUE ? Long.MAX_VALUE : times.ageSinceMillis() + afterMillis;
        return endMillis > nowMillis ? endMillis
                : Math.min(endMillis + clockAheadMillis.getAsLong(), nowMillis + ClockSteps.HOLD_MILLIS);
    }

    /**
     * Returns whether an item's own failures are as many as its tenant's policy allows.
     *
     * @param blameThousandths of the item, in thousandths of an attempt
     */
    public static boolean isUsedUp(long blameThousandths, TenantPolicy policy) {
        return blameThousandths >= policy.attempts() * WHOLE_ATTEMPT;
    }

    private static long limitMillis(ItemTimes times, TenantPolicy policy) {
        return times.attempted() ? policy.retryForMillis() : policy.expireAfterMillis();
    }
}
