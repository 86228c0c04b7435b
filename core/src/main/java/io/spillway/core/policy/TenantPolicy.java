package io.spillway.core.policy;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Effective policy of one tenant, with every field resolved. "none" is the value at which the rule never applies.
 *
 * @param rateLimit         rate and burst of the lanes; empty for none
 * @param admissionLimit    rate and burst of the gateways; empty for none
 * @param concurrency       maximum concurrent handlers in all workers; {@link Integer#MAX_VALUE} for fair share only
 * @param agedAfterMillis   age above which items go to the aged lane; {@link Long#MAX_VALUE} for never
 * @param ttlMillis         age above which items are dropped; {@link Long#MAX_VALUE} for never
 * @param sweepable         whether completed sweeps drop the items they cover
 * @param sweepMarginMillis time before the start of a sweep from which it covers nothing
 * @param attempts          failures of its own before an item is a dead letter, 1 or more
 * @param retryForMillis    age at which an item that was attempted is a dead letter; {@link Long#MAX_VALUE} for never
 * @param expireAfterMillis age at which an item without an attempt is a dead letter; {@link Long#MAX_VALUE} for never
 * @param retryTokens       retries that the tenant can save up, 1 or more
 * @param retryEarned       retries that one successful attempt earns, 0 to 1
 * @param backoffBaseMillis first wait before a retry
 * @param backoffCapMillis  maximum wait before a retry
 * @param jitter            randomization of the waits
 * @param timeoutMillis     deadline of one attempt; with {@code timeoutAuto}, until one is learned
 * @param timeoutAuto       whether the deadline comes from the measured durations
 * @param timeoutMinMillis  minimum of an automatic deadline
 * @param timeoutMaxMillis  maximum of an automatic deadline, at least the minimum
 * @param weight            share of the worker relative to other tenants
 * @param shardSize         partitions of each lane for this tenant
 * @param dedicated         partitions reserved for this tenant, 0 for none
 * @param backPressure      effect of backlog and growth rule on admission
 * @param maxDrainMillis    time for the backlog above which admission shrinks; {@link Long#MAX_VALUE} for never,
 *                          and while a workload is paused
 * @param maxDepth          waiting items above which admission shrinks; {@link Long#MAX_VALUE} for never
 * @param growth            growth rule of the limit; empty when a rate is set or growth is off
 * @param paused            whether the items of all its workloads are held
 * @param workloads         limits of its workloads, by name
 */
public record TenantPolicy(
        Optional<RateLimit> rateLimit,
        Optional<RateLimit> admissionLimit,
        int concurrency,
        long agedAfterMillis,
        long ttlMillis,
        boolean sweepable,
        long sweepMarginMillis,
        int attempts,
        long retryForMillis,
        long expireAfterMillis,
        int retryTokens,
        double retryEarned,
        long backoffBaseMillis,
        long backoffCapMillis,
        Jitter jitter,
        long timeoutMillis,
        boolean timeoutAuto,
        long timeoutMinMillis,
        long timeoutMaxMillis,
        double weight,
        int shardSize,
        int dedicated,
        BackPressure backPressure,
        long maxDrainMillis,
        long maxDepth,
        Optional<GrowthRule> growth,
        boolean paused,
        Map<String, WorkloadPolicy> workloads) {
    /** Most workloads with limits in one policy. */
    public static final int MAX_WORKLOADS = 100;

    public TenantPolicy {
        workloads = Map.copyOf(workloads);
    }

    /** Returns the limits of a workload. */
    public WorkloadPolicy workload(String name) {
        return workloads.getOrDefault(name, WorkloadPolicy.DEFAULT);
    }

    /** Returns whether the items of a workload are held: it is paused, or its tenant is. */
    public boolean isPaused(String workload) {
        return paused || !workloads.isEmpty() && workload(workload).paused();
    }

    /** Resolves settings. Unset fields come from {@link PolicySettings#DEFAULTS}. */
    public static TenantPolicy of(PolicySettings settings) {
        PolicySettings all = settings.over(PolicySettings.DEFAULTS);
        boolean timeoutAuto = all.values().get(PolicyField.TIMEOUT).equals(PolicyField.AUTO);
        long timeoutMinMillis = count(all, PolicyField.TIMEOUT_MIN);
        return new TenantPolicy(
                rateLimit(all, PolicyField.RATE, PolicyField.BURST),
                rateLimit(all, PolicyField.ADMISSION_RATE, PolicyField.ADMISSION_BURST),
                (int) Math.min(count(all, PolicyField.CONCURRENCY), Integer.MAX_VALUE),
                count(all, PolicyField.AGED_AFTER),
                count(all, PolicyField.TTL),
                (Boolean) all.values().get(PolicyField.SWEEPABLE),
                count(all, PolicyField.SWEEP_MARGIN),
                (int) count(all, PolicyField.ATTEMPTS),
                count(all, PolicyField.RETRY_FOR),
                count(all, PolicyField.EXPIRE_AFTER),
                (int) count(all, PolicyField.RETRY_TOKENS),
                number(all, PolicyField.RETRY_EARNED),
                count(all, PolicyField.BACKOFF_BASE),
                count(all, PolicyField.BACKOFF_CAP),
                Jitter.valueOf(choice(all, PolicyField.JITTER)),
                count(timeoutAuto ? PolicySettings.DEFAULTS : all, PolicyField.TIMEOUT),
                timeoutAuto,
                timeoutMinMillis,
                Math.max(timeoutMinMillis, count(all, PolicyField.TIMEOUT_MAX)),
                number(all, PolicyField.WEIGHT),
                (int) count(all, PolicyField.SHARD_SIZE),
                (int) count(all, PolicyField.DEDICATED),
                BackPressure.valueOf(choice(all, PolicyField.BACK_PRESSURE)),
                isAnyPaused(all) ? Long.MAX_VALUE : count(all, PolicyField.MAX_DRAIN),
                count(all, PolicyField.MAX_DEPTH),
                growth(all),
                (Boolean) all.values().get(PolicyField.PAUSED),
                all.workloads());
    }

    /** Held items do not drain, and are accepted. */
    private static boolean isAnyPaused(PolicySettings all) {
        return (Boolean) all.values().get(PolicyField.PAUSED)
                || all.workloads().values().stream().anyMatch(WorkloadPolicy::paused);
    }

    private static Optional<RateLimit> rateLimit(PolicySettings all, PolicyField perSecond, PolicyField burst) {
        double rate = number(all, perSecond);
        // The default burst is one second of the rate, because an unlimited burst would disable the rate.
        return rate == PolicyField.NONE
                ? Optional.empty()
                : Optional.of(RateLimit.orOneSecond(rate, count(all, burst)));
    }

    private static Optional<GrowthRule> growth(PolicySettings all) {
        double multiple = number(all, PolicyField.GROWTH);
        if (multiple == PolicyField.NONE || number(all, PolicyField.RATE) != PolicyField.NONE) {
            return Optional.empty();
        }
        double floor = number(all, PolicyField.GROWTH_FLOOR);
        double ceiling = number(all, PolicyField.GROWTH_CEILING);
        return Optional.of(new GrowthRule(
                multiple,
                floor,
                ceiling == PolicyField.NONE ? Double.POSITIVE_INFINITY : Math.max(floor, ceiling),
                number(all, PolicyField.GROWTH_PER_DAY),
                count(all, PolicyField.BURST)));
    }

    private static double number(PolicySettings all, PolicyField field) {
        return (Double) all.values().get(field);
    }

    private static long count(PolicySettings all, PolicyField field) {
        long value = (Long) all.values().get(field);
        return value == PolicyField.NONE ? Long.MAX_VALUE : value;
    }

    private static String choice(PolicySettings all, PolicyField field) {
        return ((String) all.values().get(field)).toUpperCase(Locale.ROOT);
    }
}
