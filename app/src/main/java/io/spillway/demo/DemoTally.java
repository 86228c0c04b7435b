package io.spillway.demo;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What one of the two queues did, as its handlers saw it. Ages are of first attempts of the quiet tenants, from when the item
 * should have been sent to when its handler began.
 *
 * <p>Safe for any number of threads: each method takes the lock. Bounds: the tenants of the plan, {@link #BINS} histograms
 * over time, and one for each phase.
 */
final class DemoTally {
    /** Two digits: within 1%. */
    private static final int DIGITS = 2;
    private static final long MOST_MILLIS = 4 * 60 * 60 * 1_000;
    private static final int BINS = 160;
    private static final long LEAST_BIN_MILLIS = 500;
    private static final double P99 = 99;

    private final DemoPlan plan;
    private final DemoClock clock;
    private final long binMillis;
    private final Map<DemoPlan.Phase, Histogram> ages = new EnumMap<>(DemoPlan.Phase.class);
    private final Histogram[] agesOverTime;
    private final Histogram recent = new Histogram(MOST_MILLIS, DIGITS);
    private final Map<String, Counts> byTenant = new HashMap<>();

    /** Of one tenant. */
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
        this.binMillis = Math.max(LEAST_BIN_MILLIS, Math.ceilDiv(plan.endMillis(), (long) BINS));
        for (DemoPlan.Phase phase : DemoPlan.Phase.values()) {
            ages.put(phase, new Histogram(MOST_MILLIS, DIGITS));
        }
        agesOverTime = new Histogram[(int) Math.ceilDiv(plan.endMillis(), binMillis)];
        for (int i = 0; i < agesOverTime.length; i++) {
            agesOverTime[i] = new Histogram(MOST_MILLIS, DIGITS);
        }
    }

    /** An attempt begins. */
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
            long ageMillis = Math.clamp(clock.elapsedMillis() - dueMillis, 0, MOST_MILLIS);
            ages.get(plan.phase(dueMillis)).recordValue(ageMillis);
            agesOverTime[(int) Math.min(dueMillis / binMillis, agesOverTime.length - 1)].recordValue(ageMillis);
            recent.recordValue(ageMillis);
        }
    }

    /** An attempt that had begun is over. */
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

    /** An item is not attempted again and kept nowhere. */
    synchronized void gaveUp(String tenant) {
        of(tenant).givenUp++;
    }

    /** Items that were attempted at least once. */
    synchronized long begun() {
        return byTenant.values().stream().mapToLong(counts -> counts.begun).sum();
    }

    /** Items that are finished with, one way or the other. */
    synchronized long finished() {
        return byTenant.values().stream().mapToLong(counts -> counts.done + counts.givenUp).sum();
    }

    synchronized long done(String tenant) {
        return of(tenant).done;
    }

    /** Items of a tenant that are kept nowhere and not done. */
    synchronized long givenUp(String tenant) {
        return of(tenant).givenUp;
    }

    /** Attempts of a tenant that failed. */
    synchronized long failed(String tenant) {
        return of(tenant).failed;
    }

    synchronized int running(String tenant) {
        return of(tenant).running;
    }

    /** Most handlers of a tenant at one time. */
    synchronized int mostRunning(String tenant) {
        return of(tenant).mostRunning;
    }

    /** When the last item of a tenant that was done was done, from the start of the demo. */
    synchronized long lastDoneMillis(String tenant) {
        return of(tenant).lastDoneMillis;
    }

    /** Ages of a phase: a copy. */
    synchronized Histogram ages(DemoPlan.Phase phase) {
        return ages.get(phase).copy();
    }

    /** The 99th percentile of what has begun since this was last asked; -1 when nothing has. */
    synchronized long takeRecentP99Millis() {
        long p99Millis = p99(recent);
        recent.reset();
        return p99Millis;
    }

    /** For each stretch of time in which items were due their 99th percentile; -1 where nothing has begun. */
    synchronized long[] p99MillisOverTime() {
        long[] result = new long[agesOverTime.length];
        for (int i = 0; i < result.length; i++) {
            result[i] = p99(agesOverTime[i]);
        }
        return result;
    }

    /** How long a stretch of {@link #p99MillisOverTime} is. */
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
