package io.spillway.demo;

import io.spillway.sim.scenario.Window;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Statistics of the handlers of one queue. All times are milliseconds since the first item was due. Thread-safe: each
 * method takes the lock. Bounds: the tenants of the scenario, and the items of the quiet tenants.
 */
final class DemoTally {
    private final List<Wait> waits = new ArrayList<>();
    private final Map<String, Counts> byTenant = new HashMap<>();

    /** Waiting time of an item of a quiet tenant, from when it was due until its handler started. */
    private record Wait(long dueMillis, long millis) {}

    /** Waiting times; the percentiles are null if there are no items. */
    record Waits(long items, Long p50Millis, Long p99Millis) {}

    /**
     * Attempts.
     *
     * @param begun  items that were attempted
     * @param failed failed attempts
     * @param lost   items that are not attempted again
     */
    record Counts(long begun, long done, long failed, long lost, int running, int mostRunning, long lastDoneMillis) {
        private static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0);

        private Counts plus(Counts more) {
            int nowRunning = running + more.running;
            return new Counts(begun + more.begun, done + more.done, failed + more.failed, lost + more.lost, nowRunning,
                    Math.max(Math.max(mostRunning, more.mostRunning), nowRunning),
                    Math.max(lastDoneMillis, more.lastDoneMillis));
        }
    }

    synchronized void begun(String tenant, boolean isQuiet, long dueMillis, int attempt, long nowMillis) {
        add(tenant, new Counts(attempt == 1 ? 1 : 0, 0, 0, 0, 1, 0, 0));
        if (attempt == 1 && isQuiet) {
            waits.add(new Wait(dueMillis, Math.max(0, nowMillis - dueMillis)));
        }
    }

    synchronized void ended(String tenant, boolean done, long nowMillis) {
        add(tenant, done ? new Counts(0, 1, 0, 0, -1, 0, nowMillis) : new Counts(0, 0, 1, 0, -1, 0, 0));
    }

    synchronized void gaveUp(String tenant) {
        add(tenant, new Counts(0, 0, 0, 1, 0, 0, 0));
    }

    private void add(String tenant, Counts more) {
        byTenant.merge(tenant, Counts.NONE.plus(more), Counts::plus);
    }

    /** Returns the sums over tenants; of most running and last done the greatest. */
    synchronized Counts sum(Predicate<String> tenants) {
        return byTenant.entrySet().stream().filter(entry -> tenants.test(entry.getKey())).map(Map.Entry::getValue)
                .reduce(Counts.NONE, Counts::plus);
    }

    /** Returns the waiting times of the items that were due in a window. */
    synchronized Waits waits(Window due) {
        long[] sorted = waits.stream()
                .filter(wait -> wait.dueMillis >= due.fromMillis() && wait.dueMillis < due.toMillis())
                .mapToLong(Wait::millis).sorted().toArray();
        return new Waits(sorted.length, percentile(sorted, 50), percentile(sorted, 99));
    }

    private static Long percentile(long[] sorted, int percent) {
        return sorted.length == 0 ? null : sorted[Math.ceilDiv(sorted.length * percent, 100) - 1];
    }
}
