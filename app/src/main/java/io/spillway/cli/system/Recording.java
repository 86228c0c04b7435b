package io.spillway.cli.system;

import io.spillway.sim.scenario.ScenarioLimits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What was enqueued in some time, by whom, and how long it took: recorded traffic, in the first
 * layout that the simulator reads. Owner: one thread. Bound: the items of the trail, 40 bytes each.
 */
final class Recording {
    /** Fewer of a tenant say nothing of its seconds. */
    static final int LEAST_ITEMS = 100;
    /** Six times what a second of the minute, or a minute of the hour, would have if items were spread. */
    static final double PEAK = 0.1;

    private static final int PARTS = 60;
    private static final long SECOND_MILLIS = 1_000;
    private static final long MINUTE_MILLIS = 60_000;

    private final long fromMillis;
    private final long toMillis;
    private final List<Arrival> arrivals = new ArrayList<>();
    private long outside;

    /** @param tookMillis handling time */
    private record Arrival(long atMillis, String tenant, long tookMillis) {}

    /**
     * How a tenant's items lie in time.
     *
     * @param perSecond      items a second, over all of the recording
     * @param mostInASecond  items of its busiest second
     * @param second         second of the minute with most items, 0 to 59
     * @param shareOfSecond  share of the items that have it, of all minutes
     * @param minute         minute of the hour with most items, 0 to 59
     * @param shareOfMinute  share of the items that have it, of all hours
     */
    record Sender(
            String tenant, long items, double perSecond, long mostInASecond, int second, double shareOfSecond,
            int minute, double shareOfMinute) {
        /** Returns the window over which the items should be spread; empty if they are not aligned. */
        String within(long recordedMillis) {
            // In less than some hours every minute is a peak.
            boolean isHourly = shareOfMinute >= PEAK && recordedMillis >= 3 * PARTS * MINUTE_MILLIS;
            return items < LEAST_ITEMS ? "" : isHourly ? "1h" : shareOfSecond >= PEAK ? "1m" : "";
        }
    }

    /**
     * Creates a recording of what was enqueued in a time, of which only the last 31 days count.
     *
     * @param fromMillis first time, epoch milliseconds
     * @param toMillis   last time, epoch milliseconds
     */
    Recording(long fromMillis, long toMillis) {
        this.fromMillis = Math.max(fromMillis, toMillis - ScenarioLimits.MAX_RUN_MILLIS);
        this.toMillis = toMillis;
    }

    /** Adds an item, or only counts it: one that was enqueued long before would stretch the recording to its time. */
    void add(long atMillis, String tenant, long tookMillis) {
        if (atMillis < fromMillis || atMillis > toMillis) {
            outside++;
        } else {
            arrivals.add(new Arrival(atMillis, tenant, Math.clamp(tookMillis, 0, ScenarioLimits.DAY_MILLIS)));
        }
    }

    /** Returns how many items were not enqueued in its time. */
    long outside() {
        return outside;
    }

    int items() {
        return arrivals.size();
    }

    long tenants() {
        return arrivals.stream().map(Arrival::tenant).distinct().count();
    }

    /** Returns the time from the first to the last arrival, milliseconds. */
    long millis() {
        return arrivals.isEmpty() ? 0 : arrivals.stream().mapToLong(Arrival::atMillis).max().orElseThrow() - first();
    }

    private long first() {
        return arrivals.stream().mapToLong(Arrival::atMillis).min().orElseThrow();
    }

    /** Returns its lines, with a header. */
    List<String> lines() {
        List<String> lines = new ArrayList<>(arrivals.size() + 1);
        lines.add("atMillis,tenant,handlingMillis");
        if (!arrivals.isEmpty()) {
            long firstMillis = first();
            arrivals.sort(Comparator.comparingLong(Arrival::atMillis));
            arrivals.forEach(each -> lines.add(
                    each.atMillis - firstMillis + "," + each.tenant + "," + each.tookMillis));
        }
        return lines;
    }

    /** Returns how the items of each tenant lie in time, those with most items first. */
    List<Sender> senders() {
        Map<String, List<Long>> times = new TreeMap<>();
        arrivals.forEach(each -> times.computeIfAbsent(each.tenant, none -> new ArrayList<>()).add(each.atMillis));
        double seconds = Math.max(1, millis() / (double) SECOND_MILLIS);
        List<Sender> senders = new ArrayList<>();
        times.forEach((tenant, atMillis) -> senders.add(sender(tenant, atMillis, seconds)));
        senders.sort(Comparator.comparingLong(Sender::items).reversed().thenComparing(Sender::tenant));
        return senders;
    }

    private static Sender sender(String tenant, List<Long> atMillis, double seconds) {
        long[] ofSecond = new long[PARTS];
        long[] ofMinute = new long[PARTS];
        Map<Long, Long> bySecond = new TreeMap<>();
        for (long at : atMillis) {
            ofSecond[(int) Math.floorMod(at / SECOND_MILLIS, (long) PARTS)]++;
            ofMinute[(int) Math.floorMod(at / MINUTE_MILLIS, (long) PARTS)]++;
            bySecond.merge(at / SECOND_MILLIS, 1L, Long::sum);
        }
        int second = most(ofSecond);
        int minute = most(ofMinute);
        double items = atMillis.size();
        return new Sender(tenant, atMillis.size(), items / seconds,
                bySecond.values().stream().mapToLong(Long::longValue).max().orElseThrow(),
                second, ofSecond[second] / items, minute, ofMinute[minute] / items);
    }

    private static int most(long[] counts) {
        int most = 0;
        for (int i = 1; i < counts.length; i++) {
            most = counts[i] > counts[most] ? i : most;
        }
        return most;
    }
}
