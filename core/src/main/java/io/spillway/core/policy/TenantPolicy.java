package io.spillway.core.policy;

import io.spillway.handler.Receiver;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/**
 * Effective policy of one tenant, with every field resolved. "none" is the value at which the rule never applies:
 * {@link Long#MAX_VALUE} of a count or a duration. Immutable.
 */
public final class TenantPolicy {
    /** Most workloads with limits in one policy. */
    public static final int MAX_WORKLOADS = 100;

    private static final Jitter[] JITTERS = Jitter.values();
    private static final BackPressure[] BACK_PRESSURES = BackPressure.values();
    private static final long PRESET_TIMEOUT_MILLIS =
            PolicyField.TIMEOUT.bits(PolicySettings.DEFAULTS.values().get(PolicyField.TIMEOUT));

    /** By field, as {@link PolicyField#bits}. */
    private final long[] values;
    private final Optional<RateLimit> rateLimit;
    private final Optional<RateLimit> admissionLimit;
    private final Optional<GrowthRule> growth;
    private final Optional<Receiver> receiver;
    private final Optional<NamedDestination> destination;
    private final Map<String, WorkloadPolicy> workloads;

    private TenantPolicy(PolicySettings all, Optional<NamedDestination> destination) {
        this.values = new long[PolicyField.values().length];
        all.values().forEach((field, value) -> values[field.ordinal()] = field.bits(value));
        this.workloads = Map.copyOf(all.workloads());
        this.rateLimit = rateLimit(PolicyField.RATE, PolicyField.BURST);
        this.admissionLimit = rateLimit(PolicyField.ADMISSION_RATE, PolicyField.ADMISSION_BURST);
        this.growth = growthRule();
        this.receiver = receiver(all, Optional.empty());
        this.destination = destination;
    }

    /** Resolves settings of one without a destination. Unset fields come from {@link PolicySettings#DEFAULTS}. */
    public static TenantPolicy of(PolicySettings settings) {
        return of(settings, Optional.empty(), PolicySettings.NONE_SET);
    }

    /**
     * Resolves settings.
     *
     * @param destination the one that they name, whose settings come after the own ones; empty for none
     * @param below       settings that come after both
     */
    public static TenantPolicy of(PolicySettings own, Optional<NamedDestination> destination, PolicySettings below) {
        return new TenantPolicy(own.over(destination.map(NamedDestination::others).orElse(PolicySettings.NONE_SET))
                .over(below).over(PolicySettings.DEFAULTS), destination);
    }

    private TenantPolicy(TenantPolicy tenant, Subscription subscription, Optional<NamedDestination> named) {
        this.values = tenant.values.clone();
        this.rateLimit = tenant.rateLimit;
        this.admissionLimit = tenant.admissionLimit;
        this.growth = tenant.growth;
        PolicySettings own = named.map(NamedDestination::others).map(subscription.settings()::over)
                .orElse(subscription.settings());
        this.receiver = receiver(own, tenant.receiver);
        // Who has a URL of its own calls another one than its tenant.
        this.destination = own.get(PolicyField.DESTINATION).isPresent() || own.get(PolicyField.URL).isPresent()
                ? named : tenant.destination;
        WorkloadPolicy limits = tenant.workload(subscription.workload());
        for (Map.Entry<PolicyField, Object> setting : own.values().entrySet()) {
            PolicyField field = setting.getKey();
            if (PolicyField.OF_WORKLOADS.contains(field)) {
                limits = limits.with(field, setting.getValue());
            } else {
                values[field.ordinal()] = field.bits(setting.getValue());
            }
        }
        this.workloads = limits.equals(WorkloadPolicy.DEFAULT) ? Map.of() : Map.of(subscription.workload(), limits);
    }

    /**
     * Returns the policy of a subscription's deliveries: this one with its settings. Its weight, concurrency and pause
     * are those of its workload, the only one that the policy then knows.
     *
     * @param named the destination that the subscription names; empty for none
     */
    public TenantPolicy with(Subscription subscription, Optional<NamedDestination> named) {
        return subscription.settings().values().isEmpty() ? this : new TenantPolicy(this, subscription, named);
    }

    private Optional<RateLimit> rateLimit(PolicyField perSecond, PolicyField burst) {
        // The default burst is one second of the rate, because an unlimited burst would disable the rate.
        return number(perSecond) == PolicyField.NONE
                ? Optional.empty() : Optional.of(RateLimit.orOneSecond(number(perSecond), count(burst)));
    }

    /** A subscription with a URL of its own does not have its tenant's key, which is a secret of another receiver. */
    private static Optional<Receiver> receiver(PolicySettings own, Optional<Receiver> otherwise) {
        Optional<String> key = text(own, PolicyField.SIGNING_KEY);
        return own.get(PolicyField.URL).isEmpty()
                ? otherwise.map(of -> own.get(PolicyField.SIGNING_KEY).isEmpty() ? of : new Receiver(of.url(), key))
                : text(own, PolicyField.URL).map(url -> new Receiver(url, key));
    }

    private static Optional<String> text(PolicySettings settings, PolicyField field) {
        return settings.get(field).filter(String.class::isInstance).map(String.class::cast);
    }

    private Optional<GrowthRule> growthRule() {
        double multiple = number(PolicyField.GROWTH);
        if (multiple == PolicyField.NONE || rateLimit.isPresent()) {
            return Optional.empty();
        }
        double floor = number(PolicyField.GROWTH_FLOOR);
        double ceiling = number(PolicyField.GROWTH_CEILING);
        return Optional.of(new GrowthRule(
                multiple, floor, ceiling == PolicyField.NONE ? Double.POSITIVE_INFINITY : Math.max(floor, ceiling),
                number(PolicyField.GROWTH_PER_DAY), count(PolicyField.BURST)));
    }

    /** Returns the value of a count, or of a duration in milliseconds. */
    public long count(PolicyField field) {
        return values[field.ordinal()];
    }

    /** Returns the value of a number; {@link PolicyField#NONE} for none. */
    public double number(PolicyField field) {
        return Double.longBitsToDouble(values[field.ordinal()]);
    }

    /** Returns the value of a flag. */
    public boolean isOn(PolicyField field) {
        return values[field.ordinal()] != 0;
    }

    /** Returns rate and burst of the lanes; empty for none. */
    public Optional<RateLimit> rateLimit() {
        return rateLimit;
    }

    /** Returns rate and burst of the gateways; empty for none. */
    public Optional<RateLimit> admissionLimit() {
        return admissionLimit;
    }

    /** Returns the growth rule of the limit; empty when a rate is set or growth is off. */
    public Optional<GrowthRule> growth() {
        return growth;
    }

    /** Returns the maximum of concurrent handlers in all workers; {@link Integer#MAX_VALUE} for fair share only. */
    public int concurrency() {
        return (int) Math.min(count(PolicyField.CONCURRENCY), Integer.MAX_VALUE);
    }

    /** Returns the maximum of handler calls that start in a second, in all workers; infinity for none. */
    public double attemptRate() {
        double perSecond = number(PolicyField.ATTEMPT_RATE);
        return perSecond == PolicyField.NONE ? Double.POSITIVE_INFINITY : perSecond;
    }

    public long agedAfterMillis() {
        return count(PolicyField.AGED_AFTER);
    }

    public long ttlMillis() {
        return count(PolicyField.TTL);
    }

    public boolean sweepable() {
        return isOn(PolicyField.SWEEPABLE);
    }

    public long sweepMarginMillis() {
        return count(PolicyField.SWEEP_MARGIN);
    }

    public int attempts() {
        return (int) count(PolicyField.ATTEMPTS);
    }

    public long retryForMillis() {
        return count(PolicyField.RETRY_FOR);
    }

    public long expireAfterMillis() {
        return count(PolicyField.EXPIRE_AFTER);
    }

    public long backoffBaseMillis() {
        return count(PolicyField.BACKOFF_BASE);
    }

    public long backoffCapMillis() {
        return count(PolicyField.BACKOFF_CAP);
    }

    public Jitter jitter() {
        return JITTERS[(int) count(PolicyField.JITTER)];
    }

    /** Returns the deadline of one attempt; with {@link #timeoutAuto}, until one is learned. */
    public long timeoutMillis() {
        return timeoutAuto() ? PRESET_TIMEOUT_MILLIS : count(PolicyField.TIMEOUT);
    }

    /** Returns whether the deadline comes from the measured durations. */
    public boolean timeoutAuto() {
        return count(PolicyField.TIMEOUT) == Long.MAX_VALUE;
    }

    /** Returns the maximum of an automatic deadline, at least the minimum. */
    public long timeoutMaxMillis() {
        return Math.max(count(PolicyField.TIMEOUT_MIN), count(PolicyField.TIMEOUT_MAX));
    }

    public double weight() {
        return number(PolicyField.WEIGHT);
    }

    public int shardSize() {
        return (int) count(PolicyField.SHARD_SIZE);
    }

    /** Returns where its items are posted; empty if that is not set. */
    public Optional<Receiver> receiver() {
        return receiver;
    }

    /** Returns what its handler calls, with the limits of all who call it; empty if none is named. */
    public Optional<NamedDestination> destination() {
        return destination;
    }

    /** Returns the partitions reserved for this tenant, 0 for none. */
    public int dedicated() {
        return (int) count(PolicyField.DEDICATED);
    }

    /** Returns whether what waits outside of the tenant's partitions moves to them. */
    public boolean movesBacklog() {
        return isOn(PolicyField.MOVE_BACKLOG);
    }

    public BackPressure backPressure() {
        return BACK_PRESSURES[(int) count(PolicyField.BACK_PRESSURE)];
    }

    /** Returns the time for the backlog above which admission shrinks; never while anything is paused. */
    public long maxDrainMillis() {
        // Held items do not drain, and are accepted.
        boolean isAnyPaused = paused() || workloads.values().stream().anyMatch(WorkloadPolicy::paused);
        return isAnyPaused ? Long.MAX_VALUE : count(PolicyField.MAX_DRAIN);
    }

    /** Returns whether the items of all its workloads are held. */
    public boolean paused() {
        return isOn(PolicyField.PAUSED);
    }

    /** Returns whether a subscription is paused when its receiver does not work until a delivery's end. */
    public boolean pausesWhenDown() {
        return isOn(PolicyField.PAUSE_WHEN_DOWN);
    }

    /** Returns how old an item may be when it is done, milliseconds; {@link Long#MAX_VALUE} without an objective. */
    public long doneWithinMillis() {
        return count(PolicyField.DONE_WITHIN);
    }

    /** Returns whether the trail follows each move of its items. */
    public boolean isTracked() {
        return isOn(PolicyField.TRACKED);
    }

    /** Returns the limits of its workloads, by name. */
    public Map<String, WorkloadPolicy> workloads() {
        return workloads;
    }

    /** Returns the limits of a workload. */
    public WorkloadPolicy workload(String name) {
        return workloads.getOrDefault(name, WorkloadPolicy.DEFAULT);
    }

    /** Returns whether the items of a workload are held: it is paused, or its tenant is. */
    public boolean isPaused(String workload) {
        return paused() || !workloads.isEmpty() && workload(workload).paused();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TenantPolicy policy && Arrays.equals(values, policy.values)
                && workloads.equals(policy.workloads) && receiver.equals(policy.receiver)
                && destination.equals(policy.destination);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(values) + workloads.hashCode();
    }
}
