package io.spillway.campaign;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;

/** Results of several runs as Markdown: a line for each run, and one for each kind of fault. Pure, not thread-safe. */
final class CampaignTable {
    private final List<String> runs = new ArrayList<>();
    private final Map<Fault, int[]> faults = new EnumMap<>(Fault.class);

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
    }

    private static long count(Campaign.Report report, String end) {
        return report.ends().getOrDefault(end, 0L);
    }

    /** Returns both tables. */
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
        return text.toString();
    }
}
