package io.spillway.core.policy;

import java.util.Locale;
import java.util.Optional;

/**
 * The policy in force for one tenant: every setting resolved, "none" as the number that makes the rule never fire.
 *
 * @param rateLimit          the rate and burst; empty where none is set
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
 * @param growth             how a limit grows from the tenant's use; empty where a rate is set, or none is to grow
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
        long maxDepth,
        Optional<GrowthRule> growth) {

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
                number(all, PolicyField.WEIGHT),
                (int) count(all, PolicyField.SHARD_SIZE),
                (int) count(all, PolicyField.DEDICATED),
                BackPressure.valueOf(choice(all, PolicyField.BACK_PRESSURE)),
                count(all, PolicyField.MAX_DEPTH),
                growth(all));
    }

    private static Optional<RateLimit> rateLimit(PolicySettings all) {
        double rate = number(all, PolicyField.RATE);
        if (rate == PolicyField.NONE) {
            return Optional.empty();
        }
        long burst = count(all, PolicyField.BURST);
        // A rate without a burst allows what comes in one second of it: an unlimited burst would undo the rate.
        return Optional.of(RateLimit.of(rate, burst == Long.MAX_VALUE ? Math.max(1, (long) Math.ceil(rate)) : burst));
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
