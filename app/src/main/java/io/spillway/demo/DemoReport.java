package io.spillway.demo;

import static io.spillway.cli.terminal.Printer.number;

import io.spillway.cli.terminal.DurationText;
import io.spillway.cli.terminal.Printer;
import io.spillway.core.item.ItemState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/** Report of the {@code demo} command. */
public record DemoReport(DemoResult result) {
    static final String FIFO_IS = "a plain consumer of one topic with " + DemoPlan.SLOTS
            + " threads, measured at the same time on the same items";
    private static final int LINE_WIDTH = 110;

    /** Items of some tenants by state. */
    private record Row(
            String tenant, long sent, long accepted, long done, long dropped, long deadLettered, long waiting,
            long fifoDone, long fifoGivenUp) {}

    /** Waiting times; percentiles are null if there are no items. */
    private record Ages(long items, Long p50Millis, Long p99Millis, Long maxMillis) {
        static Ages of(Histogram ages) {
            return ages.getTotalCount() == 0 ? new Ages(0, null, null, null) : new Ages(ages.getTotalCount(),
                    ages.getValueAtPercentile(50), ages.getValueAtPercentile(99), ages.getMaxValue());
        }
    }

    private record Noisy(long done, int mostSlots, long lastDoneMillisAfterFloodBegan) {}

    public Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("seconds", result.plan().seconds());
        map.put("slots", DemoPlan.SLOTS);
        map.put("fifoIs", FIFO_IS);
        map.put("finished", result.isFinished());
        map.put("quiet", quiet());
        map.put("tenants", rows());
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
        map.put("findings", new DemoFindings(result).all());
        return map;
    }

    public void print(Printer printer) {
        printer.line("");
        printer.line("Quiet tenants: waiting time of an item, from when it was due to be sent until its handler "
                + "started");
        List<String> head = List.of("", "items", "Spillway p50", "p99", "FIFO p50", "p99");
        printer.table(head, DemoPlan.Phase.SHOWN.stream().map(phase -> {
            Ages spillway = Ages.of(result.spillway().ages(phase));
            Ages fifo = Ages.of(result.fifo().ages(phase));
            return List.of(phase.label(), number(spillway.items()),
                    age(spillway.p50Millis()), age(spillway.p99Millis()), age(fifo.p50Millis()), age(fifo.p99Millis()));
        }));
        printer.line("FIFO: " + FIFO_IS + ".");
        printer.line("");
        printTenants(printer);
        printer.line("");
        printer.line("Findings of this run:");
        new DemoFindings(result).all().forEach(finding -> wrapped("- " + finding).forEach(printer::line));
        printer.line("");
        wrapped("Audit: " + auditLine()).forEach(printer::line);
    }

    private void printTenants(Printer printer) {
        printer.table(
                List.of("tenant", "sent", "done", "dropped", "dead-letter", "waiting", "most slots",
                        "FIFO done", "given up", "most slots"),
                rows().stream().map(row -> List.of(
                        row.tenant(), number(row.sent()), number(row.done()), number(row.dropped()),
                        number(row.deadLettered()), number(row.waiting()), mostSlots(result.spillway(), row.tenant()),
                        number(row.fifoDone()), number(row.fifoGivenUp()), mostSlots(result.fifo(), row.tenant()))));
    }

    private static String mostSlots(DemoTally tally, String tenant) {
        return tenant.startsWith(DemoPlan.QUIET) ? "" : number(tally.mostRunning(tenant));
    }

    private List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        rows.add(row(DemoPlan.QUIET + "01.." + DemoPlan.QUIET_TENANTS, tenant -> tenant.startsWith(DemoPlan.QUIET)));
        for (String tenant :
                List.of(DemoPlan.NOISY, DemoPlan.SLOW, DemoPlan.SWEPT, DemoPlan.POISONED, DemoPlan.WARM_UP)) {
            rows.add(row(tenant, tenant::equals));
        }
        return rows;
    }

    private Row row(String name, Predicate<String> tenants) {
        return new Row(
                name, result.sent(tenants), result.accepted(tenants), result.in(ItemState.DONE, tenants),
                result.in(ItemState.DROPPED, tenants), result.in(ItemState.DEAD_LETTER, tenants),
                result.waiting(tenants), sum(result.fifo()::done, tenants), sum(result.fifo()::givenUp, tenants));
    }

    private long sum(ToLongFunction<String> figure, Predicate<String> tenants) {
        return result.sent().keySet().stream().filter(tenants).mapToLong(figure).sum();
    }

    private Map<String, Object> quiet() {
        Map<String, Object> phases = new LinkedHashMap<>();
        for (DemoPlan.Phase phase : DemoPlan.Phase.SHOWN) {
            phases.put(phase.label(), Map.of(
                    "spillway", Ages.of(result.spillway().ages(phase)), "fifo", Ages.of(result.fifo().ages(phase))));
        }
        return phases;
    }

    private Noisy noisy(DemoTally tally) {
        return new Noisy(tally.done(DemoPlan.NOISY), tally.mostRunning(DemoPlan.NOISY),
                tally.lastDoneMillis(DemoPlan.NOISY) - result.plan().floodFromMillis());
    }

    private Map<String, Object> audit() {
        Map<String, Object> map = Printer.fields(row("", any -> true));
        map.keySet().retainAll(Set.of("accepted", "waiting", "done", "dropped", "deadLettered"));
        map.put("balanced", result.isBalanced());
        map.put("tenants", result.audited().size());
        return map;
    }

    private String auditLine() {
        Row all = row("", any -> true);
        int tenants = result.audited().size();
        long wrong = result.audited().stream().filter(tenant -> !tenant.findings().isEmpty()).count();
        return String.format(Locale.ROOT,
                "accepted %,d = waiting %,d + done %,d + dropped %,d + dead-lettered %,d. The balances of %s",
                all.accepted(), all.waiting(), all.done(), all.dropped(), all.deadLettered(),
                wrong == 0 ? "all " + tenants + " tenants are correct and match the items in the topics."
                        : wrong + " of " + tenants + " tenants are NOT correct.");
    }

    /** Wraps a text at the width of most terminals and indents all lines but the first. */
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

    private static String age(Long millis) {
        return millis == null ? "-" : DurationText.of(millis);
    }
}
