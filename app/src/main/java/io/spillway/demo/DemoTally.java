package io.spillway.demo;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Statistics of the handlers of one queue. Ages are measured at first attempts of the quiet tenants, from the time
 * when the item was due to be sent until its handler started.
 *
 * <p>Thread-safe: each method takes the lock. Bounds: the tenants of the plan, {@link #BINS} histograms over time, and
 * one per phase.
 */
final class DemoTally {
    /** Two significant digits: an error of at most 1%. */
    private static final int DIGITS = 2;
    private static final long MAX_MILLIS = 4 * 60 * 60 * 1_000;
    private static final int BINS = 160;
    private static final long MIN_BIN_MILLIS = 500;
    private static final double P99 = 99;

    private final DemoPlan plan;
    private final DemoClock clock;
    private final long binMillis;
    private final Map<DemoPlan.Phase, Histogram> ages = new EnumMap<>(DemoPlan.Phase.class);
    private final Histogram[] agesOverTime;
    private final Histogram recent = new Histogram(MAX_MILLIS, DIGITS);
    private final Map<String, Counts> byTenant = new HashMap<>();

    private static final class Counts {
        private long begun;
        private long done;
        private long failed;
        private long givenUp;
        private int running;
        private int mostRunning;
        private long lastDoneMillis;
    }

    DemoTally(DemoPlan plan, DemoClock clock) {
        this.plan = plan;
        this.clock = clock;
        this.binMillis = Math.max(MIN_BIN_MILLIS, Math.ceilDiv(plan.endMillis(), (long) BINS));
        for (DemoPlan.Phase phase : DemoPlan.Phase.values()) {
            ages.put(phase, new Histogram(MAX_MILLIS, DIGITS));
        }
        agesOverTime = new Histogram[(int) Math.ceilDiv(plan.endMillis(), binMillis)];
        Arrays.setAll(agesOverTime, i -> new Histogram(MAX_MILLIS, DIGITS));
    }

    synchronized void begun(String tenant, long enqueuedAtMillis, int attempt) {
        Counts counts = of(tenant);
        counts.running++;
        counts.mostRunning = Math.max(counts.mostRunning, counts.running);
        if (attempt > 1) {
            return;
        }
        counts.begun++;
        if (tenant.startsWith(DemoPlan.QUIET)) {
            long dueMillis = Math.max(0, clock.sinceStartMillis(enqueuedAtMillis));
            long ageMillis = Math.clamp(clock.elapsedMillis() - dueMillis, 0, MAX_MILLIS);
            ages.get(plan.phase(dueMillis)).recordValue(ageMillis);
            agesOverTime[(int) Math.min(dueMillis / binMillis, agesOverTime.length - 1)].recordValue(ageMillis);
            recent.recordValue(ageMillis);
        }
    }

    synchronized void ended(String tenant, boolean done) {
        Counts counts = of(tenant);
        counts.running--;
        if (done) {
            counts.done++;
            counts.lastDoneMillis = clock.elapsedMillis();
        } else {
            counts.failed++;
        }
    }

    /** Records that an item is lost: it is not attempted again. */
    synchronized void gaveUp(String tenant) {
        of(tenant).givenUp++;
    }

    /** Returns the items that were attempted at least once. */
    synchronized long begun() {
        return byTenant.values().stream().mapToLong(counts -> counts.begun).sum();
    }

    /** Returns the items that are done or lost. */
    synchronized long finished() {
        return byTenant.values().stream().mapToLong(counts -> counts.done + counts.givenUp).sum();
    }

    synchronized long done(String tenant) {
        return of(tenant).done;
    }

    synchronized long givenUp(String tenant) {
        return of(tenant).givenUp;
    }

    /** Returns the failed attempts of a tenant. */
    synchronized long failed(String tenant) {
        return of(tenant).failed;
    }

    synchronized int running(String tenant) {
        return of(tenant).running;
    }

    /** Returns the highest number of concurrent handlers of a tenant. */
    synchronized int mostRunning(String tenant) {
        return of(tenant).mostRunning;
    }

    /** Returns when the last finished item of a tenant was done, from the start of the demo. */
    synchronized long lastDoneMillis(String tenant) {
        return of(tenant).lastDoneMillis;
    }

    /** Returns a copy of the ages of a phase. */
    synchronized Histogram ages(DemoPlan.Phase phase) {
        return ages.get(phase).copy();
    }

    /** Returns the 99th percentile of items started since the last call; -1 if there are none. */
    synchronized long takeRecentP99Millis() {
        long p99Millis = p99(recent);
        recent.reset();
        return p99Millis;
    }

    /** Returns the 99th percentiles over time, by when the items were due, in bins; -1 for a bin without items. */
    synchronized long[] p99MillisOverTime() {
        return Arrays.stream(agesOverTime).mapToLong(DemoTally::p99).toArray();
    }

    /** Returns the length of a bin of {@link #p99MillisOverTime}. */
    long binMillis() {
        return binMillis;
    }

    private static long p99(Histogram histogram) {
        return histogram.getTotalCount() == 0 ? -1 : histogram.getValueAtPercentile(P99);
    }

    private Counts of(String tenant) {
        return byTenant.computeIfAbsent(tenant, absent -> new Counts());
    }
}
