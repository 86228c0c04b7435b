package io.spillway.core.retry;

import io.spillway.core.policy.Subscription;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.handler.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Timeouts of attempts in one worker by tenant, and by subscription and destination, which answer at a speed of their
 * own: fixed, or learned from the durations of the attempts. All are measured, so that an operator sees what
 * {@code timeout: auto} would choose. Not persistent: after a restart the fixed timeout applies for
 * {@value AutoTimeout#LEAST_SAMPLES} successful attempts.
 *
 * <p>Not thread-safe. Owner: the {@link io.spillway.core.engine.WorkerEngine}. Bound: {@code maxTenants}, about 1 KB
 * each and 2.2 KB at most. When the table is full, tenants without an attempt for ten minutes are removed,
 * and a new tenant without room has the fixed timeout.
 */
public final class AttemptTimeouts {
    /** Tenants of one worker, usually 10 MB. */
    public static final int MAX_TENANTS = 10_000;
    private static final long PRUNE_EVERY_MILLIS = 60_000;

    private final int maxTenants;
    private final Map<String, TenantDurations> tenants = new HashMap<>();
    /** Of tenants without an entry; what it learns has no effect. */
    private final TenantDurations others = new TenantDurations();
    private long mayPruneMillis = Long.MIN_VALUE;

    /** Statistics of one tenant, subscription or destination, as {@link #measuredAs} names it. */
    public record TenantStats(String tenant, TimeoutStats stats) {}

    /** Creates an empty table for this many tenants, 1 or more. */
    public AttemptTimeouts(int maxTenants) {
        if (maxTenants < 1) {
            throw new IllegalArgumentException("maxTenants = " + maxTenants + ": must be 1 or more");
        }
        this.maxTenants = maxTenants;
    }

    /**
     * Returns what an attempt's duration counts for: the destination that its policy names, as {@code /name}, a
     * subscription, as {@code tenant/workload}, or its tenant.
     */
    public static String measuredAs(String tenant, String workload, TenantPolicy policy) {
        if (policy.destination().isPresent()) {
            return "/" + policy.destination().get().name();
        }
        return Subscription.recipient(tenant, workload);
    }

    /**
     * Returns the timeout of an attempt that starts now.
     *
     * @param tenant         as {@link #measuredAs} returns it
     * @param attemptsBefore attempts made at the item before, 0 or more
     * @param mayBeLast      whether its failure could make the item a dead letter
     */
    public AttemptTimeout start(
            String tenant, TenantPolicy policy, int attemptsBefore, boolean mayBeLast, long nowMillis) {
        TenantDurations own = tenants.get(tenant);
        if (own == null) {
            if (isFull(nowMillis)) {
                return others.usual(policy.timeoutMillis());
            }
            own = new TenantDurations();
            tenants.put(tenant, own);
        }
        return own.start(policy, attemptsBefore, mayBeLast, nowMillis);
    }

    /** Records the end of an attempt with the timeout from {@link #start}. */
    public void ended(AttemptTimeout timeout, Outcome result, long durationNanos) {
        if (timeout.tenant != others) {
            timeout.tenant.ended(timeout, result, durationNanos);
        }
    }

    /** Returns the statistics of a tenant; empty if none of its attempts is recorded. */
    public Optional<TimeoutStats> stats(String tenant, TenantPolicy policy) {
        return Optional.ofNullable(tenants.get(tenant)).map(own -> own.stats(policy));
    }

    /**
     * Returns the statistics of the tenants whose attempts always time out, then of those with the most recent
     * attempts. Called at regular intervals. 0.5 ms for 10,000 tenants of which 500 are returned.
     *
     * @param most     number of tenants returned at most
     * @param policies policy of each tenant, subscription and destination
     */
    public List<TenantStats> busiest(int most, Function<String, TenantPolicy> policies, long nowMillis) {
        record Active(String tenant, TenantDurations durations, double activity) {}

        List<Active> active = new ArrayList<>();
        tenants.forEach((tenant, durations) -> {
            double activity = durations.updateActivity();
            if (!durations.isIdle(nowMillis)) {
                active.add(new Active(tenant, durations, durations.alwaysTimesOut() ? Double.MAX_VALUE : activity));
            }
        });
        active.sort(Comparator.comparingDouble((Active candidate) -> -candidate.activity)
                .thenComparing(Active::tenant));
        return active.stream().limit(most)
                .map(candidate -> new TenantStats(
                        candidate.tenant, candidate.durations.stats(policies.apply(candidate.tenant))))
                .toList();
    }

    /**
     * Returns the number of tenants whose latest attempts all timed out, {@value TimeoutStats#ALWAYS} or more, failed
     * ones not counted.
     */
    public int alwaysTimingOut(long nowMillis) {
        return (int) tenants.values().stream()
                .filter(durations -> durations.alwaysTimesOut() && !durations.isIdle(nowMillis)).count();
    }

    /** Returns the number of tenants with an entry. */
    public int size() {
        return tenants.size();
    }

    /** Returns whether there is no room after the idle tenants are removed, which it does once a minute. */
    private boolean isFull(long nowMillis) {
        if (tenants.size() >= maxTenants && nowMillis >= mayPruneMillis) {
            mayPruneMillis = nowMillis + PRUNE_EVERY_MILLIS;
            tenants.values().removeIf(durations -> durations.isIdle(nowMillis));
        }
        return tenants.size() >= maxTenants;
    }
}
