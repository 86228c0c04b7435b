package io.spillway.drill;

import io.spillway.cli.terminal.DurationText;
import io.spillway.cli.terminal.Printer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Report of a drill.
 *
 * @param expected by the simulator
 * @param measured on the running system; empty if nothing was sent
 */
public record DrillReport(DrillPlan plan, DrillResult expected, Optional<DrillResult> measured) {
    private static final String NONE = "-";

    /** Returns the report for JSON. */
    public Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("drill", plan.kind().label());
        map.put("tenant", plan.tenant());
        map.put("faultMillis", plan.faultMillis());
        map.put("expected", fields(expected));
        measured.ifPresent(result -> map.put("measured", fields(result)));
        return map;
    }

    private static Map<String, Object> fields(DrillResult result) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("ages", result.waits());
        map.put("items", result.items());
        map.put("mostUnfinished", result.mostUnfinished());
        map.put("recoveredMillis", result.recoveredMillis().orElse(null));
        map.put("workersLost", result.deaths());
        map.put("finished", result.isFinished());
        return map;
    }

    /** Prints the report for people. */
    public void print(Printer printer) {
        printer.line("Items, and their age at the first attempt, by when they were sent:");
        List<String> columns = new ArrayList<>(List.of("tenant", "phase", "expected", "p50", "p99", "max"));
        measured.ifPresent(result -> columns.addAll(List.of("measured", "p50", "p99", "max")));
        printer.table(columns, expected.waits().stream().map(this::row));
        printer.line("");
        printer.table(measured.isPresent() ? List.of("", "expected", "measured") : List.of("", "expected"), rows());
    }

    private List<String> row(DrillResult.Wait wait) {
        List<String> row = new ArrayList<>(
                List.of(wait.tenant(), wait.phase(), Printer.number(wait.items())));
        row.addAll(ages(wait));
        measured.ifPresent(result -> {
            DrillResult.Wait other = result.waits().stream().filter(each ->
                    each.tenant().equals(wait.tenant()) && each.phase().equals(wait.phase())).findFirst().orElseThrow();
            row.add(Printer.number(other.items()));
            row.addAll(ages(other));
        });
        return row;
    }

    private static List<String> ages(DrillResult.Wait wait) {
        return wait.items() == 0 ? List.of(NONE, NONE, NONE)
                : Stream.of(wait.p50Millis(), wait.p99Millis(), wait.maxMillis()).map(DurationText::of).toList();
    }

    private Stream<List<String>> rows() {
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < expected.items().size(); i++) {
            int tenant = i;
            rows.add(row(expected.items().get(i).tenant() + ": done, dropped, dead", result -> {
                DrillResult.Ends ends = result.items().get(tenant);
                return Printer.number(ends.done()) + ", " + Printer.number(ends.dropped()) + ", "
                        + Printer.number(ends.dead())
                        + (ends.unfinished() == 0 ? "" : "; not finished: " + Printer.number(ends.unfinished()));
            }));
        }
        rows.add(row("most unfinished, all tenants", result -> Printer.number(result.mostUnfinished())));
        rows.add(row("backlog gone after the fault", result ->
                result.recoveredMillis().map(DurationText::of).orElse("not yet")));
        rows.add(row("workers lost", result -> Integer.toString(result.deaths())));
        return rows.stream();
    }

    private List<String> row(String name, Function<DrillResult, String> figure) {
        List<String> row = new ArrayList<>(List.of(name, figure.apply(expected)));
        measured.ifPresent(result -> row.add(figure.apply(result)));
        return row;
    }
}
