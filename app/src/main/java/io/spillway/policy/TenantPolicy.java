package io.spillway.policy;

import java.util.Locale;
import java.util.Optional;

/**
 * The policy in force for one tenant: every setting resolved, "none" as the number that makes the rule never fire.
 *
 * @param rateLimit          the rate and burst; empty for unlimited
 * @param concurrency        most handlers at once in one worker; {@link Integer#MAX_VALUE} for fair share only
 * @param agedAfterMillis    older items go to the aged lane; {@link Long#MAX_VALUE} for never
 * @param ttlMillis          older items are dropped; {@link Long#MAX_VALUE} for never
 * @param sweepable          whether completed sweeps drop what they cover
 * @param attempts           attempts before an item is a dead letter, 1 or more
 * @param backoffBaseMillis  first wait before a retry
 * @param backoffCapMillis   longest wait before a retry
 * @param jitter             how chance spreads the waits
 * @param timeoutMillis      deadline of one attempt
 * @param weight             share of the worker against other tenants
 * @param shardSize          partitions of each lane for this tenant
 * @param dedicated          partitions of its own, 0 for none
 * @param backPressure       what a deep backlog does to admission
 * @param maxDepth           waiting items before admission shrinks; {@link Long#MAX_VALUE} for never
 */
public record TenantPolicy(
        Optional<RateLimit> rateLimit,
        int concurrency,
        long agedAfterMillis,
        long ttlMillis,
        boolean sweepable,
        int attempts,
        long backoffBaseMillis,
        long backoffCapMillis,
        Jitter jitter,
        long timeoutMillis,
        double weight,
        int shardSize,
        int dedicated,
        BackPressure backPressure,
        long maxDepth) {

    /**
     * Resolves settings; what is not set is taken from {@link PolicySettings#DEFAULTS}.
     *
     * @param settings not null
     */
    public static TenantPolicy of(PolicySettings settings) {
        PolicySettings all = settings.over(PolicySettings.DEFAULTS);
        return new TenantPolicy(
                rateLimit(all),
                (int) Math.min(count(all, PolicyField.CONCURRENCY), Integer.MAX_VALUE),
                count(all, PolicyField.AGED_AFTER),
                count(all, PolicyField.TTL),
                (Boolean) all.values().get(PolicyField.SWEEPABLE),
                (int) count(all, PolicyField.ATTEMPTS),
                count(all, PolicyField.BACKOFF_BASE),
                count(all, PolicyField.BACKOFF_CAP),
                Jitter.valueOf(choice(all, PolicyField.JITTER)),
                count(all, PolicyField.TIMEOUT),
                (Double) all.values().get(PolicyField.WEIGHT),
                (int) count(all, PolicyField.SHARD_SIZE),
                (int) count(all, PolicyField.DEDICATED),
                BackPressure.valueOf(choice(all, PolicyField.BACK_PRESSURE)),
                count(all, PolicyField.MAX_DEPTH));
    }

    private static Optional<RateLimit> rateLimit(PolicySettings all) {
        double rate = (Double) all.values().get(PolicyField.RATE);
        if (rate == PolicyField.NONE) {
            return Optional.empty();
        }
        long burst = count(all, PolicyField.BURST);
        // A rate without a burst allows what comes in one second of it: an unlimited burst would undo the rate.
        return Optional.of(RateLimit.of(rate, burst == Long.MAX_VALUE ? Math.max(1, (long) Math.ceil(rate)) : burst));
    }

    private static long count(PolicySettings all, PolicyField field) {
        long value = (Long) all.values().get(field);
        return value == PolicyField.NONE ? Long.MAX_VALUE : value;
    }

    private static String choice(PolicySettings all, PolicyField field) {
        return ((String) all.values().get(field)).toUpperCase(Locale.ROOT);
    }
}
