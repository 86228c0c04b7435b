package io.spillway.core.ratelimit;

import io.spillway.core.policy.RateLimit;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The part of each tenant's rate that this process may admit, where several processes admit the items of one tenant: its part
 * of the tenant's demand. Each measures what arrives at it and tells the others; with all demands known to all the parts
 * sum up to one, so the rate holds over all of them together, and they follow the traffic one exchange behind.
 *
 * <p>A tenant that asks for less than half its rate in all is not divided: it may use its whole burst wherever it likes.
 * Where a process has seen nothing of a tenant that others have, it admits {@value #LEAST_SHARE} of the rate until it
 * has measured. A process that is alone measures nothing.
 *
 * <p>{@link #limit} is for any number of threads; {@link #endInterval} and {@link #divide} for one, their owner. Bound:
 * {@value #MAX_MEASURED} tenants are measured at one time; further ones are not divided. {@value #MAX_TOLD} are told to others.
 */
public final class RateShares {
    /** Most tenants measured in this process. */
    static final int MAX_MEASURED = 20_000;
    /** Most tenants told to others: those of the greatest demand. */
    public static final int MAX_TOLD = 1_000;

    private static final double LEAST_SHARE = 0.05;
    /** Of the rate: up to this demand in all a tenant is not divided. */
    private static final double QUIET = 0.5;

    private final Map<String, Meter> meters = new ConcurrentHashMap<>();
    private volatile Map<String, Double> shares = Map.of();
    private volatile boolean isAlone = true;

    /** Whoever is not told of others is alone. */
    public RateShares() {}

    /**
     * Counts an item, and says what limit it is to be held to here.
     *
     * @param tenant not null
     * @param whole  the tenant's limit over all processes, not null
     */
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
        meter.arrivals.increment();
        meter.limit = whole;
        Double share = shares.get(tenant);
        return share == null ? whole : whole.part(share);
    }

    /**
     * Ends an interval of measuring.
     *
     * @param millis how long it was, 1 or more
     * @return what was asked for here, items a second by tenant, over this interval and the one before: to be told to the others
     */
    public Map<String, Double> endInterval(long millis) {
        Map<String, Double> demand = new HashMap<>();
        meters.forEach((tenant, meter) -> {
            meter.turn(millis);
            if (meter.demand > 0) {
                demand.put(tenant, meter.demand);
            } else {
                meters.remove(tenant);
            }
        });
        if (demand.size() <= MAX_TOLD) {
            return demand;
        }
        Map<String, Double> told = new HashMap<>();
        demand.entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue(Comparator.reverseOrder()).thenComparing(Map.Entry.comparingByKey()))
                .limit(MAX_TOLD)
                .forEach(entry -> told.put(entry.getKey(), entry.getValue()));
        return told;
    }

    /**
     * Divides the rates anew.
     *
     * @param others what each other process that lives has told last, items a second by tenant; empty when there is none
     */
    public void divide(Collection<Map<String, Double>> others) {
        isAlone = others.isEmpty();
        Map<String, Double> elsewhere = new HashMap<>();
        for (Map<String, Double> other : others) {
            other.forEach((tenant, demand) -> elsewhere.merge(tenant, demand, Double::sum));
        }
        Map<String, Double> divided = new HashMap<>();
        elsewhere.forEach((tenant, demand) -> {
            Meter meter = meters.get(tenant);
            double here = meter == null ? 0 : meter.demand;
            if (meter == null || here + demand > QUIET * meter.limit.itemsPerSecond()) {
                divided.put(tenant, here == 0 ? LEAST_SHARE : here / (here + demand));
            }
        });
        if (isAlone) {
            meters.clear();
        }
        shares = divided;
    }

    /** The part of a tenant's rate that is this process's, above 0 to 1. */
    public double share(String tenant) {
        return shares.getOrDefault(tenant, 1.0);
    }

    /** Of one tenant. Threads count; the owner of the shares reads the rest. */
    private static final class Meter {
        final LongAdder arrivals = new LongAdder();
        volatile RateLimit limit = RateLimit.of(1, 1);
        long lastArrivals;
        long lastMillis;
        double demand;

        void turn(long millis) {
            long now = arrivals.sumThenReset();
            demand = 1_000.0 * (now + lastArrivals) / (millis + lastMillis);
            lastArrivals = now;
            lastMillis = millis;
        }
    }
}
