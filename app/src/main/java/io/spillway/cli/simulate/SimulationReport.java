package io.spillway.cli.simulate;

import io.spillway.cli.terminal.DurationText;
import io.spillway.cli.terminal.Printer;
import io.spillway.core.item.Lane;
import io.spillway.sim.Simulation;
import io.spillway.sim.SimulationResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Report of the {@code simulate} command. */
record SimulationReport(SimulationResult result) {
    /** Most series of ages in the output and in the chart: those with the greatest age. */
    static final int MOST_SERIES = 8;

    Map<String, Object> asMap() {
        Map<String, Object> map = new HashMap<>(Map.of(
                "scenario", result.scenario().name(), "queue", isFifo() ? "fifo" : "spillway", "seed", result.seed(),
                "durationMillis", result.scenario().durationMillis(), "endMillis", result.endMillis(),
                "slotUse", result.slotUse(), "jain", result.jain(), "workerDeaths", result.deaths(),
                "groups", result.groups(), "oldestTenants", result.oldest()));
        map.put("phases", result.phases().stream().map(each -> {
            Map<String, Object> phase = Printer.fields(each.row());
            phase.put("phase", each.phase());
            return phase;
        }).toList());
        map.put("peakDepths", result.peakDepths().entrySet().stream()
                .collect(Collectors.toMap(each -> each.getKey().label(), Map.Entry::getValue)));
        result.recoveredMillis().ifPresent(millis -> map.put("recoveredMillis", millis));
        map.put("samples", samples());
        return map;
    }

    void print(Printer printer) {
        long accepted = result.groups().stream().mapToLong(SimulationResult.Row::accepted).sum();
        long waiting = result.groups().stream().mapToLong(SimulationResult.Row::waiting).sum();
        printer.line("%s through %s, seed %d".formatted(
                result.scenario().name(), isFifo() ? "one FIFO queue" : "Spillway", result.seed()));
        if (!result.scenario().description().isEmpty()) {
            printer.line(result.scenario().description());
        }
        printer.line("%,d items of %,d tenants in %s; %s%s".formatted(
                accepted, result.scenario().tenants(), DurationText.of(result.scenario().durationMillis()),
                waiting == 0 ? "all finished at " : "%,d not finished when the run ended at ".formatted(waiting),
                DurationText.of(result.endMillis())));
        printTable(printer, "Age at first attempt:", "tenants", "", result.groups().stream()
                .map(row -> cells(row.name(), row.tenants() == 1 ? "" : "x %,d".formatted(row.tenants()), row)));
        if (!result.phases().isEmpty()) {
            printTable(printer, "By when the items arrived:", "phase", "tenants",
                    result.phases().stream().map(each -> cells(each.phase(), each.row().name(), each.row())));
        }
        if (result.oldest().size() > result.groups().size()) {
            printTable(printer, "Tenants whose items waited longest:", "tenant", "",
                    result.oldest().stream().map(row -> cells(row.name(), "", row)));
        }
        printer.line("");
        printer.line("most items at one time: " + peaks());
        printer.line("slots in use %.0f%%; Jain's index of slot time %.3f%s%s".formatted(
                100 * result.slotUse(), result.jain(), result.recoveredMillis()
                        .map(millis -> "; backlog gone " + DurationText.of(millis) + " after the disturbance")
                        .orElse(""),
                result.deaths() == 0 ? "" : "; workers died %d times".formatted(result.deaths())));
    }

    private static void printTable(
            Printer printer, String title, String first, String second, Stream<List<String>> rows) {
        printer.line("");
        printer.line(title);
        printer.table(List.of(first, second, "items", "done", "dropped", "dead", "waiting", "p50", "p99", "max",
                "attempts an item"), rows);
    }

    /** Returns the indexes of the series with the greatest ages, in descending order. */
    static List<Integer> topSeries(SimulationResult result) {
        float[] peaks = new float[result.series().size()];
        for (SimulationResult.Sample sample : result.samples()) {
            for (int i = 0; i < peaks.length; i++) {
                peaks[i] = Math.max(peaks[i], sample.agesMillis()[i]);
            }
        }
        return IntStream.range(0, peaks.length).boxed()
                .sorted((a, b) -> peaks[a] == peaks[b] ? Integer.compare(a, b) : Float.compare(peaks[b], peaks[a]))
                .limit(MOST_SERIES)
                .toList();
    }

    private boolean isFifo() {
        return result.discipline() == Simulation.Discipline.FIFO;
    }

    private String peaks() {
        List<String> peaks = new ArrayList<>();
        result.peakDepths().forEach((lane, peak) -> {
            if (!isFifo() || peak > 0) {
                peaks.add(laneName(result, lane) + " %,d".formatted(peak));
            }
        });
        return String.join(", ", peaks);
    }

    /** Returns the label of a lane; a FIFO queue has no hot lane, only the queue. */
    static String laneName(SimulationResult result, Lane lane) {
        return result.discipline() == Simulation.Discipline.FIFO && lane == Lane.HOT ? "queue" : lane.label();
    }

    private static List<String> cells(String first, String second, SimulationResult.Row row) {
        return List.of(
                first, second, "%,d".formatted(row.accepted()), "%,d".formatted(row.done()),
                "%,d".formatted(row.dropped()), "%,d".formatted(row.dead()), "%,d".formatted(row.waiting()),
                DurationText.of(row.p50Millis()), DurationText.of(row.p99Millis()), DurationText.of(row.maxMillis()),
                String.format(
                        Locale.ROOT, "%.2f", row.accepted() == 0 ? 0.0 : (double) row.attempts() / row.accepted()));
    }

    private Map<String, Object> samples() {
        Map<String, Object> depths = new LinkedHashMap<>();
        for (Lane lane : Lane.values()) {
            depths.put(laneName(result, lane), result.samples().stream().map(each -> each.depths().get(lane)).toList());
        }
        Map<String, Object> ages = new LinkedHashMap<>();
        for (int series : topSeries(result)) {
            ages.put(result.series().get(series),
                    result.samples().stream().map(each -> each.agesMillis()[series]).toList());
        }
        return Map.of(
                "atMillis", result.samples().stream().map(SimulationResult.Sample::nowMillis).toList(),
                "inFlight", result.samples().stream().map(SimulationResult.Sample::inFlight).toList(),
                "depths", depths,
                "agesMillis", ages);
    }
}
