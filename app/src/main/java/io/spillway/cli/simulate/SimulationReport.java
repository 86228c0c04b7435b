package io.spillway.cli.simulate;

import static io.spillway.cli.terminal.Printer.number;

import io.spillway.cli.terminal.ChartFile;
import io.spillway.cli.terminal.DurationText;
import io.spillway.cli.terminal.Printer;
import io.spillway.core.item.Lane;
import io.spillway.sim.Simulation;
import io.spillway.sim.SimulationResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Report of the {@code simulate} command. */
public record SimulationReport(SimulationResult result) {
    /** Most series of ages in the output and in the chart: those with the greatest age. */
    private static final int MOST_SERIES = 8;

    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("scenario", result.scenario().name());
        map.put("queue", isFifo() ? "fifo" : "spillway");
        map.put("seed", result.seed());
        map.put("durationMillis", result.scenario().durationMillis());
        map.put("endMillis", result.endMillis());
        map.put("groups", result.groups());
        map.put("workloads", result.workloads());
        map.put("phases", result.phases().stream().map(phaseRow -> {
            Map<String, Object> phase = Printer.fields(phaseRow.row());
            phase.put("phase", phaseRow.phase());
            return phase;
        }).toList());
        map.put("oldestTenants", result.oldest());
        Map<String, Object> peaks = new LinkedHashMap<>();
        result.peakDepths().forEach((lane, peak) -> peaks.put(lane.label(), peak));
        map.put("peakDepths", peaks);
        map.put("slotUse", result.slotUse());
        map.put("jain", result.jain());
        map.put("workerDeaths", result.deaths());
        result.recoveredMillis().ifPresent(millis -> map.put("recoveredMillis", millis));
        map.put("samples", samples());
        return map;
    }

    void print(Printer printer) {
        long accepted = result.groups().stream().mapToLong(SimulationResult.Row::accepted).sum();
        long waiting = result.groups().stream().mapToLong(SimulationResult.Row::waiting).sum();
        printer.line(String.format(Locale.ROOT, "%s through %s, seed %d",
                result.scenario().name(), isFifo() ? "one FIFO queue" : "Spillway", result.seed()));
        if (!result.scenario().description().isEmpty()) {
            printer.line(result.scenario().description());
        }
        String end = waiting == 0 ? "all finished at " : number(waiting) + " not finished when the run ended at ";
        printer.line(String.format(Locale.ROOT, "%s of %s in %s; %s%s",
                Printer.count(accepted, "item"), Printer.count(result.scenario().tenants(), "tenant"),
                DurationText.of(result.scenario().durationMillis()), end, DurationText.of(result.endMillis())));
        Stream<SimulationResult.Row> all = Stream.concat(result.groups().stream(), result.workloads().stream());
        print(printer, "Age at first attempt:", "tenants", "", all
                .map(row -> cells(row.name(), row.tenants() == 1 ? "" : "x " + number(row.tenants()), row)));
        if (!result.phases().isEmpty()) {
            print(printer, "By when the items arrived:", "phase", "tenants",
                    result.phases().stream()
                            .map(phaseRow -> cells(phaseRow.phase(), phaseRow.row().name(), phaseRow.row())));
        }
        if (result.oldest().size() > result.groups().size()) {
            print(printer, "Tenants whose items waited longest:", "tenant", "",
                    result.oldest().stream().map(row -> cells(row.name(), "", row)));
        }
        printer.line("");
        printer.line("most items at one time: " + peaks());
        String recovered = result.recoveredMillis()
                .map(millis -> "; backlog gone " + DurationText.of(millis) + " after the disturbance").orElse("");
        printer.line(String.format(Locale.ROOT, "slots in use %.0f%%; Jain's index of slot time %.3f%s%s",
                100 * result.slotUse(), result.jain(), recovered,
                result.deaths() == 0 ? "" : "; workers died " + Printer.count(result.deaths(), "time")));
    }

    /** Returns the charts of depths by lane and ages by tenant over time. */
    List<ChartFile.Panel> charts() {
        List<ChartFile.Line> depths = Stream.of(Lane.values()).filter(lane -> result.peakDepths().get(lane) > 0)
                .map(lane -> line(laneName(lane), sample -> sample.depths().get(lane))).toList();
        List<ChartFile.Line> ages = topSeries().stream().map(series -> line(shortened(result.series().get(series)),
                sample -> sample.agesMillis()[series] / 1_000.0)).toList();
        return List.of(
                panel("Items in each lane: " + result.scenario().name() + ", "
                        + result.discipline().name().toLowerCase(Locale.ROOT) + ", seed " + result.seed(), "items",
                        depths),
                panel("Age of the oldest item that waits for its first attempt, of the tenants that waited longest",
                        "seconds", ages));
    }

    private static ChartFile.Panel panel(String title, String unit, List<ChartFile.Line> lines) {
        return new ChartFile.Panel(title, "minutes", unit, false, lines, new double[0], 0);
    }

    private ChartFile.Line line(String name, ToDoubleFunction<SimulationResult.Sample> value) {
        return ChartFile.Line.of(name, result.samples(), sample -> sample.nowMillis() / 60_000.0, value);
    }

    private static String shortened(String tenant) {
        return tenant.length() <= 20 ? tenant : tenant.substring(0, 17) + "...";
    }

    /** Returns the indexes of the series with the greatest ages, in descending order. */
    private List<Integer> topSeries() {
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
        return result.peakDepths().entrySet().stream()
                .filter(peak -> !isFifo() || peak.getValue() > 0)
                .map(peak -> laneName(peak.getKey()) + " " + number(peak.getValue()))
                .collect(Collectors.joining(", "));
    }

    /** Returns the label of a lane; a FIFO queue has no hot lane, only the queue. */
    private String laneName(Lane lane) {
        return isFifo() && lane == Lane.HOT ? "queue" : lane.label();
    }

    private boolean hasRefused() {
        return result.groups().stream().anyMatch(row -> row.refused() > 0);
    }

    private void print(
            Printer printer, String title, String first, String second, Stream<List<String>> rows) {
        printer.line("");
        printer.line(title);
        List<String> columns = new ArrayList<>(List.of(first, second, "items", "done", "dropped", "dead", "waiting",
                "p50", "p99", "max", "attempts an item"));
        if (hasRefused()) {
            columns.add("refused");
        }
        printer.table(columns, rows);
    }

    private List<String> cells(String first, String second, SimulationResult.Row row) {
        List<String> cells = new ArrayList<>(List.of(
                first, second, number(row.accepted()), number(row.done()), number(row.dropped()), number(row.dead()),
                number(row.waiting()), DurationText.of(row.p50Millis()), DurationText.of(row.p99Millis()),
                DurationText.of(row.maxMillis()),
                String.format(
                        Locale.ROOT, "%.2f", row.accepted() == 0 ? 0.0 : (double) row.attempts() / row.accepted())));
        if (hasRefused()) {
            cells.add(number(row.refused()));
        }
        return cells;
    }

    private Map<String, Object> samples() {
        Map<String, Object> depths = new LinkedHashMap<>();
        for (Lane lane : Lane.values()) {
            depths.put(laneName(lane), overTime(sample -> sample.depths().get(lane)));
        }
        Map<String, Object> ages = new LinkedHashMap<>();
        for (int series : topSeries()) {
            ages.put(result.series().get(series), overTime(sample -> sample.agesMillis()[series]));
        }
        return Map.of(
                "atMillis", overTime(SimulationResult.Sample::nowMillis),
                "inFlight", overTime(SimulationResult.Sample::inFlight), "depths", depths, "agesMillis", ages);
    }

    private List<Object> overTime(Function<SimulationResult.Sample, Object> value) {
        return result.samples().stream().map(value).toList();
    }
}
