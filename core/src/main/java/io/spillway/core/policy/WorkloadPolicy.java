package io.spillway.core.policy;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Limits of one workload of a tenant.
 *
 * @param weight      share of the tenant's slots relative to its other workloads, as {@link PolicyField#WEIGHT}
 * @param concurrency maximum concurrent handlers in all workers; {@link Integer#MAX_VALUE} for its fair share only
 * @param attemptRate maximum of handler calls that start in a second, in all workers; infinity for none
 * @param paused      whether its items are held
 */
public record WorkloadPolicy(double weight, int concurrency, double attemptRate, boolean paused) {
    /** Limits of a workload that the policy does not name. */
    public static final WorkloadPolicy DEFAULT = new WorkloadPolicy(1, Integer.MAX_VALUE);

    /** @throws IllegalArgumentException when a limit is out of the range of the tenant's, with its name */
    public WorkloadPolicy {
        require(PolicyField.WEIGHT, weight);
        require(PolicyField.CONCURRENCY, stored(concurrency));
        require(PolicyField.ATTEMPT_RATE, stored(attemptRate));
    }

    /** Creates the limits of a workload without a rate that is not paused. */
    public WorkloadPolicy(double weight, int concurrency) {
        this(weight, concurrency, Double.POSITIVE_INFINITY, false);
    }

    /** Returns the limits among stored values; those that are missing have their defaults. */
    public static WorkloadPolicy of(Map<PolicyField, Object> values) {
        WorkloadPolicy limits = DEFAULT;
        for (PolicyField field : PolicyField.OF_WORKLOADS) {
            limits = values.containsKey(field) ? limits.with(field, values.get(field)) : limits;
        }
        return limits;
    }

    /** Returns a copy with the stored form of one of {@link PolicyField#OF_WORKLOADS}. */
    public WorkloadPolicy with(PolicyField field, Object stored) {
        require(field, stored);
        return switch (field) {
            case WEIGHT -> new WorkloadPolicy((Double) stored, concurrency, attemptRate, paused);
            case PAUSED -> new WorkloadPolicy(weight, concurrency, attemptRate, (Boolean) stored);
            case ATTEMPT_RATE -> new WorkloadPolicy(weight, concurrency, (Double) stored == PolicyField.NONE
                    ? Double.POSITIVE_INFINITY : (Double) stored, paused);
            default -> new WorkloadPolicy(weight, stored.equals(PolicyField.NONE)
                    ? Integer.MAX_VALUE : ((Long) stored).intValue(), attemptRate, paused);
        };
    }

    /** Returns the stored values by field; a rate and whether it is paused only if set, as before there were any. */
    public Map<PolicyField, Object> values() {
        Map<PolicyField, Object> values = new EnumMap<>(PolicyField.class);
        values.put(PolicyField.WEIGHT, weight);
        values.put(PolicyField.CONCURRENCY, stored(concurrency));
        if (attemptRate != Double.POSITIVE_INFINITY) {
            values.put(PolicyField.ATTEMPT_RATE, attemptRate);
        }
        if (paused) {
            values.put(PolicyField.PAUSED, true);
        }
        return values;
    }

    /** Returns the limits as text, in the form in which they are set. */
    public String format() {
        Map<PolicyField, Object> values = values();
        return PolicyField.OF_WORKLOADS.stream().filter(values::containsKey)
                .map(field -> field.key() + "=" + field.format(values.get(field))).collect(Collectors.joining(" "));
    }

    /** Returns the limits by key; a concurrency is null for none, and a rate absent. */
    Map<String, Object> json() {
        Map<String, Object> json = new HashMap<>(Map.of(PolicyField.PAUSED.jsonKey(), paused));
        values().forEach((field, value) -> json.put(field.jsonKey(), field.jsonValue(value)));
        return json;
    }

    private static long stored(int concurrency) {
        return concurrency == Integer.MAX_VALUE ? PolicyField.NONE : concurrency;
    }

    private static double stored(double attemptRate) {
        return attemptRate == Double.POSITIVE_INFINITY ? PolicyField.NONE : attemptRate;
    }

    private static void require(PolicyField field, Object value) {
        if (!field.isValid(value)) {
            throw new IllegalArgumentException(field.key() + " = " + value + ": must be " + field.allowed());
        }
    }
}
