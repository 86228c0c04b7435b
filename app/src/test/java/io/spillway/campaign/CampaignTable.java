package io.spillway.campaign;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Results of several runs as Markdown: a line for each run, one for each kind of fault, and one for each role. Pure,
 * not thread-safe.
 */
final class CampaignTable {
    private final List<String> runs = new ArrayList<>();
    private final Map<Fault, int[]> faults = new EnumMap<>(Fault.class);
    private final Map<Fault.Target, List<Integer>> readyMillis = new EnumMap<>(Fault.Target.class);
    private final Map<Fault.Target, Integer> starts = new EnumMap<>(Fault.Target.class);

    /** Adds a run. */
    void add(Schedule schedule, Campaign.Report report) {
        boolean isGood = report.breaches().isEmpty();
        runs.add("| %d | %d | %,d | %,d | %,d | %,d | %,d | %,d | %.0f | %s |".formatted(
                schedule.seed(), schedule.events().size(), report.accepted(), count(report, "done"),
                count(report, "dropped"), count(report, "dead"), report.unknown(), report.repeated(),
                report.quietMillis() / 1e3, isGood ? "pass" : "FAIL: " + report.breaches().getFirst()));
        EnumSet<Fault> seen = EnumSet.noneOf(Fault.class);
        schedule.events().forEach(event -> {
            int[] counts = faults.computeIfAbsent(event.fault(), absent -> new int[3]);
            counts[0]++;
            if (seen.add(event.fault())) {
                counts[1]++;
                counts[2] += isGood ? 0 : 1;
            }
        });
        report.processes().forEach(life -> {
            readyMillis.computeIfAbsent(life.role(), absent -> new ArrayList<>()).addAll(life.readyMillis());
            starts.merge(life.role(), life.starts(), Integer::sum);
        });
    }

    private static String recovery(List<Integer> millis) {
        List<Integer> sorted = millis.stream().sorted().toList();
        return sorted.isEmpty() ? "- | -" : "%.1f | %.1f".formatted(
                sorted.get(sorted.size() / 2) / 1e3, sorted.getLast() / 1e3);
    }

    private static long count(Campaign.Report report, String end) {
        return report.ends().getOrDefault(end, 0L);
    }

    /** Returns the three tables. */
    String text() {
        StringBuilder text = new StringBuilder("""
                | Seed | Faults | Accepted | Done | Dropped | Dead | Sender does not know | Attempts repeated \
                | Quiet after, s | Result |
                |--:|--:|--:|--:|--:|--:|--:|--:|--:|---|
                """);
        runs.forEach(run -> text.append(run).append('\n'));
        text.append("\n| Fault | Times | Runs with it | Failed runs with it |\n|---|--:|--:|--:|\n");
        faults.forEach((fault, counts) -> text.append("| `%s` | %d | %d | %d |%n".formatted(
                fault, counts[0], counts[1], counts[2])));
        text.append("\n| Role | Starts | Ready after, s: median | longest |\n|---|--:|--:|--:|\n");
        starts.forEach((role, count) -> text.append("| %s | %d | %s |%n".formatted(
                role.name().toLowerCase(Locale.ROOT), count, recovery(readyMillis.get(role)))));
        return text.toString();
    }
}
