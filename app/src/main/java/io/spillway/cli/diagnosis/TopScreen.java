package io.spillway.cli.diagnosis;

import static io.spillway.cli.terminal.Printer.number;

import io.spillway.cli.terminal.DurationText;
import io.spillway.cli.terminal.Printer;
import io.spillway.core.text.Printable;
import io.spillway.operator.report.QueueState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Screen of {@code spillway top}: the state of a queue as lines of text that fit into a terminal. Pure.
 *
 * @param columns   width of the terminal, 1 or more; columns of the tables that do not fit are left out
 * @param rows      most lines, 1 or more; tenants that do not fit are counted
 * @param isColored whether lines may have escape codes of colours
 */
record TopScreen(int columns, int rows, boolean isColored) {
    /** Of a file or a pipe. */
    static final TopScreen PLAIN = new TopScreen(120, 60, false);

    private static final String BOLD = "\u001b[1m";
    private static final String RED = "\u001b[31m";
    private static final String YELLOW = "\u001b[33m";
    private static final String RESET = "\u001b[0m";

    private static final FittedTable<SystemState.Lane> LANES = new FittedTable<>(List.of(
            new FittedTable.Column<>("lane", 0, SystemState.Lane::lane),
            new FittedTable.Column<>("waiting", 1, lane -> number(lane.waiting())),
            new FittedTable.Column<>("oldest", 2, lane -> age(lane.oldestSeconds())),
            new FittedTable.Column<>("in/s", 3, lane -> rate(lane.inPerSecond())),
            new FittedTable.Column<>("out/s", 4, lane -> rate(lane.outPerSecond())),
            new FittedTable.Column<>("drained in", 5,
                    lane -> lane.inPerSecond() == null ? "" : drain(lane.drainSeconds()))));

    private static final FittedTable<QueueState.Tenant> TENANTS = new FittedTable<>(List.of(
            new FittedTable.Column<>("tenant", 0, row -> Printable.of(row.tenant())),
            new FittedTable.Column<>("waiting", 1, row -> number(row.waiting())),
            new FittedTable.Column<>("hot", 6, row -> number(row.hot())),
            new FittedTable.Column<>("overflow", 7, row -> number(row.overflow())),
            new FittedTable.Column<>("aged", 8, row -> number(row.aged())),
            new FittedTable.Column<>("delay", 9, row -> number(row.delay())),
            new FittedTable.Column<>("in/s", 4, row -> rate(row.inPerSecond())),
            new FittedTable.Column<>("out/s", 5, row -> rate(row.outPerSecond())),
            new FittedTable.Column<>("drained in", 3, row -> drain(row.drainSeconds())),
            new FittedTable.Column<>("dead", 10, row -> number(row.deadLettered())),
            new FittedTable.Column<>("", 2, row -> row.late() ? "late" : "")));

    /**
     * Returns the lines of the screen, at most as many as there are rows.
     *
     * @param notice why the state is not the current one; empty if it is
     */
    List<String> lines(String title, SystemState state, String notice) {
        List<String> lines = new ArrayList<>();
        lines.add(cut(title + "  " + state.at().replaceFirst("\\.\\d+Z$", "Z"), BOLD));
        lines.add(cut(totals(state), ""));
        lines.add(cut(troubles(state), state.tenantsLate() > 0 ? RED : state.deadLettered() > 0 ? YELLOW : ""));
        lines.add(cut(processes(state), isStopped(state.instances()) ? RED : ""));
        lines.add(cut(Printable.onOneLine(notice), RED));
        table(lines, LANES, state.lanes(), state.lanes().stream().map(lane -> "").toList());
        lines.add("");
        // A head, and a last line for what does not fit.
        int room = Math.max(0, rows - lines.size() - 2);
        List<QueueState.Tenant> shown = state.tenants().stream().limit(room).toList();
        if (state.tenants().isEmpty()) {
            lines.add(cut("No tenant has a backlog or sends items.", ""));
        } else {
            table(lines, TENANTS, shown, shown.stream().map(row -> row.late() ? RED : "").toList());
            long more = state.tenantsWaiting() - shown.stream().filter(row -> row.waiting() > 0).count();
            if (more > 0) {
                lines.add(cut(Printer.count(more, "more tenant") + (more == 1 ? " has" : " have") + " a backlog.", ""));
            }
        }
        return lines.size() > rows ? List.copyOf(lines.subList(0, rows)) : lines;
    }

    private static String totals(SystemState state) {
        QueueState.Total total = state.total();
        return number(total.waiting()) + " waiting   in " + rate(total.inPerSecond()) + "/s   out "
                + rate(total.outPerSecond()) + "/s" + (total.drainSeconds() == null ? "   never drained at these rates"
                        : total.drainSeconds() == 0 ? "" : "   drained in " + age(total.drainSeconds()));
    }

    private static String troubles(SystemState state) {
        return state.tenantsLate() + " of " + Printer.count(state.tenantsKnown(), "tenant") + " late   "
                + Printer.count(state.tenantsWaiting(), "tenant") + " with a backlog   "
                + Printer.count(state.deadLettered(), "dead letter");
    }

    private static boolean isStopped(SystemState.Running instances) {
        return instances.routers() == 0 || instances.workers() == 0;
    }

    private static String processes(SystemState state) {
        SystemState.Running instances = state.instances();
        return Printer.count(instances.routers(), "router") + "   " + Printer.count(instances.workers(), "worker")
                + " (" + Printer.count(state.slots(), "slot") + ", " + rate(state.handledPerSecond())
                + " attempts/s)   " + Printer.count(instances.gateways(), "gateway");
    }

    private <T> void table(List<String> lines, FittedTable<T> table, List<T> rows, List<String> colors) {
        List<String> text = table.lines(rows, columns);
        lines.add(cut(text.getFirst(), BOLD));
        for (int i = 0; i < rows.size(); i++) {
            lines.add(cut(text.get(i + 1), colors.get(i)));
        }
    }

    /** Cuts first: escape codes have no width. */
    private String cut(String line, String color) {
        String fitted = line.length() > columns ? line.substring(0, columns) : line;
        return isColored && !color.isEmpty() && !fitted.isEmpty() ? color + fitted + RESET : fitted;
    }

    private static String rate(Double perSecond) {
        return perSecond == null ? "" : String.format(Locale.ROOT, "%,.1f", perSecond);
    }

    private static String age(Double seconds) {
        return seconds == null ? "" : DurationText.compact(seconds);
    }

    private static String drain(Double seconds) {
        return seconds == null ? "never" : seconds == 0 ? "" : age(seconds);
    }
}
