package io.spillway.cli.simulate;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.item.Printable;
import io.spillway.sim.scenario.Latency;
import io.spillway.sim.scenario.RecordedTrace;
import io.spillway.sim.scenario.ScenarioLimits;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Reads recorded traffic from CSV with a header line, in one of two layouts:
 *
 * <ul>
 *   <li>{@code atMillis,tenant[,handlingMillis]}: a line for each arrival, in the order of time;
 *   <li>{@code tenant,…,minute_1,minute_2,…}: a line for each tenant (or each of its functions) with its arrivals in
 *       each minute, as in the Azure Functions Trace 2019, whose {@code HashOwner} is taken for {@code tenant}. A second
 *       file may have handling times: {@code tenant,…,percentile_Average_0,…,percentile_Average_100}, in milliseconds.
 * </ul>
 */
final class TraceLoader {
    private static final int MAX_ARRIVALS = 50_000_000;
    private static final Pattern MINUTE = Pattern.compile("minute_(\\d{1,6})");
    private static final Pattern PERCENTILE = Pattern.compile("percentile_Average_(\\d{1,3})");
    private static final long MINUTE_MILLIS = 60_000;

    private final Path directory;

    /**
     * Makes a loader.
     *
     * @param directory where files are looked for whose paths are relative
     */
    TraceLoader(Path directory) {
        this.directory = directory;
    }

    /**
     * Loads a trace.
     *
     * @param file      of arrivals
     * @param durations of handling times, empty for none
     * @throws CommandFailure as wrong usage when they cannot be read
     */
    RecordedTrace load(String file, String durations) {
        try (TraceTable table = new TraceTable(directory, file)) {
            return table.has("atMillis") ? rows(table) : counts(table, durations);
        }
    }

    private static RecordedTrace rows(TraceTable table) {
        Map<String, Integer> tenants = new LinkedHashMap<>();
        LongStream.Builder at = LongStream.builder();
        IntStream.Builder tenant = IntStream.builder();
        IntStream.Builder handling = IntStream.builder();
        int time = table.column("atMillis");
        int name = table.column("tenant");
        long last = 0;
        for (int count = 0; table.next(); count++) {
            requireRoom(table, count, tenants.size());
            long micros = Math.round(table.number(time, ScenarioLimits.MAX_RUN_MILLIS) * 1_000);
            if (micros < last) {
                throw table.wrong(time, "must not be before the line above");
            }
            last = micros;
            at.add(micros);
            tenant.add(tenants.computeIfAbsent(table.tenant(name), key -> tenants.size()));
            handling.add(table.has("handlingMillis")
                    ? (int) Math.round(table.number(table.column("handlingMillis"), 2_000_000) * 1_000)
                    : -1);
        }
        return new RecordedTrace.Rows(List.copyOf(tenants.keySet()),
                at.build().toArray(), tenant.build().toArray(), handling.build().toArray());
    }

    private RecordedTrace counts(TraceTable table, String durations) {
        int tenant = table.column("tenant", "HashOwner");
        Map<Integer, Integer> minutes = table.numbered(MINUTE);
        if (!table.has("minute_1")) {
            throw table.wrong("the header must have atMillis and tenant, or tenant and minute_1, minute_2, ...");
        }
        Map<String, Latency> latencies = durations.isEmpty() ? Map.of() : durations(durations);
        Map<String, int[]> counts = new LinkedHashMap<>();
        long sum = 0;
        while (table.next()) {
            int[] row = counts.computeIfAbsent(table.tenant(tenant), name -> new int[table.columns()]);
            for (Map.Entry<Integer, Integer> minute : minutes.entrySet()) {
                int at = minute.getValue() - 1;
                if (at < 0 || at >= row.length) {
                    throw table.wrong(minute.getKey(), "minutes must be numbered from 1 on");
                }
                int number = (int) table.number(minute.getKey(), MAX_ARRIVALS);
                row[at] += number;
                sum += number;
            }
            requireRoom(table, sum, counts.size());
        }
        return new RecordedTrace.Counts(List.copyOf(counts.keySet()), counts.values().toArray(int[][]::new),
                MINUTE_MILLIS, counts.keySet().stream().map(name -> Optional.ofNullable(latencies.get(name))).toList());
    }

    /** Of several functions of one tenant the first that is there counts. */
    private Map<String, Latency> durations(String file) {
        Map<String, Latency> latencies = new HashMap<>();
        try (TraceTable table = new TraceTable(directory, file)) {
            int tenant = table.column("tenant", "HashOwner");
            List<Map.Entry<Integer, Integer>> percentiles =
                    table.numbered(PERCENTILE).entrySet().stream().sorted(Map.Entry.comparingByValue()).toList();
            double[] shares = percentiles.stream().mapToDouble(each -> each.getValue() / 100.0).toArray();
            while (table.next()) {
                double[] millis = percentiles.stream()
                        .mapToDouble(each -> table.number(each.getKey(), ScenarioLimits.DAY_MILLIS)).toArray();
                try {
                    latencies.putIfAbsent(table.tenant(tenant), new Latency.Percentiles(shares, millis));
                } catch (IllegalArgumentException e) {
                    throw table.wrongRow(Printable.of(e.getMessage()));
                }
            }
        }
        return latencies;
    }

    private static void requireRoom(TraceTable table, long arrivals, int tenants) {
        if (arrivals >= MAX_ARRIVALS || tenants > ScenarioLimits.MAX_TENANTS) {
            throw table.wrong("must have at most " + MAX_ARRIVALS + " arrivals of " + ScenarioLimits.MAX_TENANTS + " tenants");
        }
    }
}
