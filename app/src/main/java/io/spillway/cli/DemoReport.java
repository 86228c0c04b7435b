package io.spillway.cli;

import io.spillway.policy.Place;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.HdrHistogram.Histogram;

/**
 * What the {@code demo} command shows at its end. What it says in words is what the figures of this run say.
 *
 * @param result of the run
 */
record DemoReport(DemoResult result) {
    static final String FIFO_IS = "a plain consumer of one topic with " + DemoPlan.SLOTS
            + " threads, measured at the same time on the same items";
    private static final int LINE_WIDTH = 110;
    private static final double P50 = 50;
    private static final double P99 = 99;

    /** A row of the table of tenants. */
    private record Group(String name, Predicate<String> tenants) {}

    /** For JSON. */
    Map<String, Object> asMap() {
        DemoFindings findings = new DemoFindings(result);
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("seconds", result.plan().seconds());
        map.put("slots", DemoPlan.SLOTS);
        map.put("fifoIs", FIFO_IS);
        map.put("finished", result.isFinished());
        map.put("quiet", quiet());
        map.put("tenants", groups().stream().map(this::row).toList());
        map.put("noisy", Map.of(
                "sent", result.sent(DemoPlan.NOISY::equals),
                "spillway", noisy(result.spillway()), "fifo", noisy(result.fifo())));
        map.put("slow", Map.of(
                "spillway", Map.of("mostSlots", result.spillway().mostRunning(DemoPlan.SLOW)),
                "fifo", Map.of("mostSlots", result.fifo().mostRunning(DemoPlan.SLOW))));
        Map<String, Object> pill = new LinkedHashMap<>();
        pill.put("attempts", result.spillway().failed(DemoPlan.POISONED));
        result.pill().ifPresent(dead -> {
            pill.put("reason", dead.reason());
            pill.put("detail", dead.detail());
        });
        map.put("poisonPill", pill);
        map.put("audit", audit());
        map.put("findings", findings.all());
        return map;
    }

    /** For a person. */
    void print(Printer printer) {
        printer.line("");
        printer.line("Quiet tenants: how long an item waited for its handler, from when it should have been sent");
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("", "items", "Spillway p50", "p99", "FIFO p50", "p99"));
        for (DemoPlan.Phase phase : DemoPlan.Phase.SHOWN) {
            Histogram spillway = result.spillway().ages(phase);
            Histogram fifo = result.fifo().ages(phase);
            rows.add(List.of(phase.label(), "%,d".formatted(spillway.getTotalCount()),
                    age(spillway, P50), age(spillway, P99), age(fifo, P50), age(fifo, P99)));
        }
        printer.table(rows);
        printer.line("FIFO: " + FIFO_IS + ".");
        printer.line("");
        printTenants(printer);
        printer.line("");
        printer.line("What this run shows:");
        new DemoFindings(result).all().forEach(finding -> wrapped("- " + finding).forEach(printer::line));
        printer.line("");
        wrapped("audit: " + auditLine()).forEach(printer::line);
    }

    private void printTenants(Printer printer) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("tenant", "sent", "done", "dropped", "dead-letter", "waiting", "most slots", "FIFO done", "given up", "most slots"));
        for (Group group : groups()) {
            Predicate<String> tenants = group.tenants();
            boolean isOne = !group.name().startsWith(DemoPlan.QUIET);
            rows.add(List.of(group.name(), number(result.sent(tenants)), number(result.in(Place.DONE, tenants)),
                    number(result.in(Place.DROPPED, tenants)), number(result.in(Place.DEAD_LETTER, tenants)),
                    number(result.waiting(tenants)), isOne ? number(result.spillway().mostRunning(group.name())) : "",
                    number(fifoDone(tenants)), number(fifoGivenUp(tenants)),
                    isOne ? number(result.fifo().mostRunning(group.name())) : ""));
        }
        printer.table(rows);
    }

    private static List<Group> groups() {
        List<Group> groups = new ArrayList<>();
        groups.add(new Group(DemoPlan.QUIET + "01.." + DemoPlan.QUIET_TENANTS, tenant -> tenant.startsWith(DemoPlan.QUIET)));
        for (String tenant : List.of(DemoPlan.NOISY, DemoPlan.SLOW, DemoPlan.SWEPT, DemoPlan.POISONED, DemoPlan.WARM_UP)) {
            groups.add(new Group(tenant, tenant::equals));
        }
        return groups;
    }

    private Map<String, Object> row(Group group) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("tenant", group.name());
        row.put("sent", result.sent(group.tenants()));
        row.put("accepted", result.accepted(group.tenants()));
        row.put("done", result.in(Place.DONE, group.tenants()));
        row.put("dropped", result.in(Place.DROPPED, group.tenants()));
        row.put("deadLettered", result.in(Place.DEAD_LETTER, group.tenants()));
        row.put("waiting", result.waiting(group.tenants()));
        row.put("fifoDone", fifoDone(group.tenants()));
        row.put("fifoGivenUp", fifoGivenUp(group.tenants()));
        return row;
    }

    private long fifoDone(Predicate<String> tenants) {
        return result.sent().keySet().stream().filter(tenants).mapToLong(result.fifo()::done).sum();
    }

    private long fifoGivenUp(Predicate<String> tenants) {
        return result.sent().keySet().stream().filter(tenants).mapToLong(result.fifo()::givenUp).sum();
    }

    private Map<String, Object> quiet() {
        Map<String, Object> phases = new LinkedHashMap<>();
        for (DemoPlan.Phase phase : DemoPlan.Phase.SHOWN) {
            phases.put(phase.label(), Map.of(
                    "spillway", ages(result.spillway().ages(phase)), "fifo", ages(result.fifo().ages(phase))));
        }
        return phases;
    }

    private static Map<String, Object> ages(Histogram ages) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("items", ages.getTotalCount());
        if (ages.getTotalCount() > 0) {
            map.put("p50Millis", ages.getValueAtPercentile(P50));
            map.put("p99Millis", ages.getValueAtPercentile(P99));
            map.put("maxMillis", ages.getMaxValue());
        }
        return map;
    }

    private Map<String, Object> noisy(DemoTally tally) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("done", tally.done(DemoPlan.NOISY));
        map.put("mostSlots", tally.mostRunning(DemoPlan.NOISY));
        map.put("lastDoneMillisAfterFloodBegan", tally.lastDoneMillis(DemoPlan.NOISY) - result.plan().floodFromMillis());
        return map;
    }

    private Map<String, Object> audit() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("balanced", result.isBalanced());
        map.put("tenants", result.audited().size());
        map.put("accepted", result.accepted(any -> true));
        map.put("waiting", result.waiting(any -> true));
        map.put("done", result.in(Place.DONE, any -> true));
        map.put("dropped", result.in(Place.DROPPED, any -> true));
        map.put("deadLettered", result.in(Place.DEAD_LETTER, any -> true));
        return map;
    }

    private String auditLine() {
        return "accepted %,d = waiting %,d + done %,d + dropped %,d + dead-lettered %,d; the books of %s".formatted(
                result.accepted(any -> true), result.waiting(any -> true), result.in(Place.DONE, any -> true),
                result.in(Place.DROPPED, any -> true), result.in(Place.DEAD_LETTER, any -> true),
                result.isBalanced()
                        ? "each of %d tenants balance, and the items lie where they say".formatted(result.audited().size())
                        : "%d of %d tenants are OFF".formatted(
                                result.audited().stream().filter(tenant -> !tenant.findings().isEmpty()).count(), result.audited().size()));
    }

    /** In lines that most terminals hold, all but the first indented. */
    private static List<String> wrapped(String text) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ")) {
            if (line.length() + word.length() >= LINE_WIDTH) {
                lines.add(line.toString().stripTrailing());
                line = new StringBuilder("  ");
            }
            line.append(word).append(' ');
        }
        lines.add(line.toString().stripTrailing());
        return lines;
    }

    private static String number(long number) {
        return "%,d".formatted(number);
    }

    private static String age(Histogram ages, double percentile) {
        return ages.getTotalCount() == 0 ? "-" : SimulationReport.duration(ages.getValueAtPercentile(percentile));
    }
}
