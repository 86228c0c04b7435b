package io.spillway.cli.simulate;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.text.Printable;
import io.spillway.sim.scenario.Latency;
import io.spillway.sim.scenario.RecordedTrace;
import io.spillway.sim.scenario.ScenarioLimits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Reader of recorded traffic from CSV with a header line, in one of two layouts:
 *
 * <ul>
 *   <li>{@code atMillis,tenant[,handlingMillis]}: one line per arrival, ordered by time;
 *   <li>{@code tenant,…,minute_1,minute_2,…}: one line per tenant (or per function of it) with its arrivals in each
 *       minute, as in the Azure Functions Trace 2019, where {@code HashOwner} is the tenant. A second file can have
 *       handling times in milliseconds: {@code tenant,…,percentile_Average_0,…,percentile_Average_100}.
 * </ul>
 *
 * @param directory base of relative paths
 */
record TraceLoader(Path directory) {
    private static final int MAX_ARRIVALS = 50_000_000;
    private static final long MINUTE_MILLIS = 60_000;

    /** Loads a trace and its file of handling times, empty for none; throws {@link CommandFailure} for wrong files. */
    RecordedTrace load(String file, String durations) {
        return TraceTable.read(directory, file,
                table -> table.has("atMillis") ? rows(table) : counts(table, durations));
    }

    private static RecordedTrace rows(TraceTable table) throws IOException {
        Map<String, Integer> tenants = new LinkedHashMap<>();
        LongStream.Builder atMicros = LongStream.builder();
        IntStream.Builder tenant = IntStream.builder();
        LongStream.Builder handling = LongStream.builder();
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
            atMicros.add(micros);
            tenant.add(tenants.computeIfAbsent(table.tenant(name), key -> tenants.size()));
            handling.add(table.has("handlingMillis")
                    ? Math.round(table.number(table.column("handlingMillis"), ScenarioLimits.DAY_MILLIS) * 1_000)
                    : -1);
        }
        return new RecordedTrace.Rows(List.copyOf(tenants.keySet()),
                atMicros.build().toArray(), tenant.build().toArray(), handling.build().toArray());
    }

    private RecordedTrace counts(TraceTable table, String durations) throws IOException {
        int tenant = table.column("tenant", "HashOwner");
        Map<Integer, Integer> minutes = table.numbered("minute_");
        if (!table.has("minute_1")
                || minutes.values().stream().anyMatch(minute -> minute < 1 || minute > table.columns())) {
            throw table.wrong("the header must have atMillis and tenant, or tenant and minute_1, minute_2, ...");
        }
        Map<String, Latency> latencies =
                durations.isEmpty() ? Map.of() : TraceTable.read(directory, durations, TraceLoader::latencies);
        Map<String, int[]> counts = new LinkedHashMap<>();
        long sum = 0;
        while (table.next()) {
            int[] row = counts.computeIfAbsent(table.tenant(tenant), name -> new int[table.columns()]);
            for (Map.Entry<Integer, Integer> minute : minutes.entrySet()) {
                int number = (int) table.number(minute.getKey(), MAX_ARRIVALS);
                row[minute.getValue() - 1] += number;
                sum += number;
            }
            requireRoom(table, sum, counts.size());
        }
        return new RecordedTrace.Counts(List.copyOf(counts.keySet()), counts.values().toArray(int[][]::new),
                MINUTE_MILLIS, counts.keySet().stream().map(name -> Optional.ofNullable(latencies.get(name))).toList());
    }

    /** Returns the latency of each tenant: that of its first function in the file. */
    private static Map<String, Latency> latencies(TraceTable table) throws IOException {
        Map<String, Latency> latencies = new HashMap<>();
        int tenant = table.column("tenant", "HashOwner");
        List<Map.Entry<Integer, Integer>> percentiles =
                table.numbered("percentile_Average_").entrySet().stream().sorted(Map.Entry.comparingByValue()).toList();
        double[] shares = percentiles.stream().mapToDouble(percentile -> percentile.getValue() / 100.0).toArray();
        while (table.next()) {
            double[] millis = percentiles.stream()
                    .mapToDouble(percentile -> table.number(percentile.getKey(), ScenarioLimits.DAY_MILLIS)).toArray();
            try {
                latencies.putIfAbsent(table.tenant(tenant), new Latency.Percentiles(shares, millis));
            } catch (IllegalArgumentException e) {
                throw table.wrongRow(Printable.of(e.getMessage()));
            }
        }
        return latencies;
    }

    private static void requireRoom(TraceTable table, long arrivals, int tenants) {
        if (arrivals >= MAX_ARRIVALS || tenants > ScenarioLimits.MAX_TENANTS) {
            throw table.wrong(
                    "must have at most " + MAX_ARRIVALS + " arrivals of " + ScenarioLimits.MAX_TENANTS + " tenants");
        }
    }
}
