package io.spillway.core.ratelimit;

import io.spillway.core.policy.RateLimit;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/**
 * This process's share of each tenant's rate, where several processes admit items of the same tenant: its part of the
 * tenant's total demand. Each process measures its own demand and publishes it. When all demands are known the shares
 * sum up to one, so the rate holds over all processes. Shares follow the traffic one exchange later.
 *
 * <p>A tenant with a total demand below half its rate is not divided: any process may use its whole burst. A process
 * that has not seen a tenant that others have seen admits what their demand leaves free, and at least
 * {@value #INITIAL_SHARE} of the rate, until it has measured. A single process measures nothing.
 *
 * <p>{@link #limit} is thread-safe; {@link #endInterval} and {@link #divide} belong to one thread, their owner. Bound:
 * {@value #MAX_MEASURED} tenants are measured at one time; further ones are not divided. {@value #MAX_PUBLISHED} are
 * published.
 */
public final class ProportionalRates {
    /** Maximum number of tenants measured in this process. */
    static final int MAX_MEASURED = 20_000;
    /** Maximum number of tenants published to other processes: those with the highest demand. */
    public static final int MAX_PUBLISHED = 1_000;

    private static final double INITIAL_SHARE = 0.05;
    /** Fraction of the rate: a tenant with at most this total demand is not divided. */
    private static final double UNDIVIDED_DEMAND = 0.5;

    private final Map<String, Meter> meters = new ConcurrentHashMap<>();
    private volatile Map<String, Double> shares = Map.of();
    /** Demand of the others for tenants without demand here, items a second. */
    private volatile Map<String, Double> elsewhereOnly = Map.of();
    private volatile boolean isAlone = true;

    /** Creates shares of a single process. Other processes become known through {@link #divide}. */
    public ProportionalRates() {}

    /** Counts an item and returns the limit of its tenant in this process, given the one over all processes. */
    public RateLimit limit(String tenant, RateLimit whole) {
        if (isAlone) {
            return whole;
        }
        Meter meter = meters.get(tenant);
        if (meter == null) {
            if (meters.size() >= MAX_MEASURED) {
                return whole;
            }
            meter = meters.computeIfAbsent(tenant, absent -> new Meter());
        }
        // Before the arrival, so that a demand never meets the limit of a new meter.
        meter.limit = whole;
        meter.arrivals.increment();
        Double share = shares.get(tenant);
        return share == null ? free(whole, elsewhereOnly.get(tenant)) : whole.part(share);
    }

    /** Returns the part of a limit that the others' demand, null for none, leaves to a process without demand. */
    private static RateLimit free(RateLimit whole, Double elsewherePerSecond) {
        double used = elsewherePerSecond == null ? 0 : elsewherePerSecond / whole.itemsPerSecond();
        return used <= UNDIVIDED_DEMAND ? whole : whole.part(Math.max(INITIAL_SHARE, 1 - used));
    }

    /**
     * Ends a measuring interval of 1 ms or more. Returns the demand in this process, in items a second by tenant, over
     * this interval and the previous one, for the other processes.
     */
    public Map<String, Double> endInterval(long millis) {
        Map<String, Double> demand = new HashMap<>();
        meters.forEach((tenant, meter) -> {
            meter.rotate(millis);
            if (meter.demand > 0) {
                demand.put(tenant, meter.demand);
            } else {
                meters.remove(tenant);
            }
        });
        if (demand.size() <= MAX_PUBLISHED) {
            return demand;
        }
        return demand.entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(MAX_PUBLISHED)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /**
     * Recomputes the shares from the latest published demand of each other live process, in items a second by tenant.
     */
    public void divide(Collection<Map<String, Double>> others) {
        isAlone = others.isEmpty();
        Map<String, Double> elsewhere = new HashMap<>();
        for (Map<String, Double> other : others) {
            other.forEach((tenant, demand) -> elsewhere.merge(tenant, demand, Double::sum));
        }
        Map<String, Double> divided = new HashMap<>();
        Map<String, Double> unmeasured = new HashMap<>();
        elsewhere.forEach((tenant, demand) -> {
            Meter meter = meters.get(tenant);
            double here = meter == null ? 0 : meter.demand;
            if (here == 0) {
                unmeasured.put(tenant, demand);
            } else if (here + demand > UNDIVIDED_DEMAND * meter.limit.itemsPerSecond()) {
                divided.put(tenant, here / (here + demand));
            }
        });
        if (isAlone) {
            meters.clear();
        }
        shares = divided;
        elsewhereOnly = unmeasured;
    }

    /** Demand of one tenant. Any thread counts arrivals; the owner of the shares reads and writes the rest. */
    private static final class Meter {
        final LongAdder arrivals = new LongAdder();
        volatile RateLimit limit = RateLimit.of(1, 1);
        long lastArrivals;
        long lastMillis;
        double demand;

        void rotate(long millis) {
            long now = arrivals.sumThenReset();
            demand = 1_000.0 * (now + lastArrivals) / (millis + lastMillis);
            lastArrivals = now;
            lastMillis = millis;
        }
    }
}
