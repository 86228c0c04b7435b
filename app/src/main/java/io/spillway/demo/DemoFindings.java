package io.spillway.demo;

import io.spillway.cli.terminal.DurationText;
import io.spillway.cli.terminal.Printer;
import io.spillway.core.item.ItemState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import org.HdrHistogram.Histogram;

/** Findings of a demo as sentences that depend on its results, also where these are worse for Spillway. */
record DemoFindings(DemoResult result) {
    private static final double P50 = 50;
    private static final double P99 = 99;
    /** Ratio from which one value is reported as greater than another. */
    private static final double CLEARLY = 1.5;
    /** Ratio up to which two times are reported as about the same. */
    private static final double ABOUT = 1.15;

    List<String> all() {
        List<String> findings = new ArrayList<>();
        compared(DemoPlan.Phase.DURING, P99, DemoFindings::during).ifPresent(findings::add);
        compared(DemoPlan.Phase.BEFORE, P50, DemoFindings::overhead).ifPresent(findings::add);
        findings.addAll(List.of(noisy(), slow(), swept(), poisonPill()));
        if (!result.isFinished()) {
            findings.add(String.format(Locale.ROOT,
                    "%d s after the last item was sent, not all items were finished: %s still waiting according "
                            + "to the ledger.",
                    result.plan().maxWaitMillis() / 1_000, Printer.count(result.waiting(any -> true), "item")));
        }
        return findings;
    }

    /** Compares a percentile of both queues, milliseconds; empty if one of them had no item in the phase. */
    private Optional<String> compared(DemoPlan.Phase phase, double percentile, BiFunction<Long, Long, String> finding) {
        Histogram ours = result.spillway().ages(phase);
        Histogram theirs = result.fifo().ages(phase);
        return ours.getTotalCount() == 0 || theirs.getTotalCount() == 0 ? Optional.empty() : Optional.of(
                finding.apply(ours.getValueAtPercentile(percentile), theirs.getValueAtPercentile(percentile)));
    }

    private static String during(long spillwayMillis, long fifoMillis) {
        long ours = Math.max(1, spillwayMillis);
        long theirs = Math.max(1, fifoMillis);
        return String.format(Locale.ROOT,
                "During the flood and the slow destination, 99%% of the quiet items waited at most %s in Spillway and "
                        + "%s in the FIFO queue%s", DurationText.of(ours), DurationText.of(theirs),
                theirs >= CLEARLY * ours ? ", which is " + times(theirs, ours) + " times as long."
                        : ours >= CLEARLY * theirs ? ": in this run Spillway was slower."
                        : ": no significant difference in this run.");
    }

    /** Returns the overhead of Spillway without a disturbance. */
    private static String overhead(long ours, long theirs) {
        return String.format(Locale.ROOT,
                "Before the disturbance, half of them waited at most %s in Spillway and %s in the FIFO queue%s",
                DurationText.of(ours), DurationText.of(theirs),
                ours > theirs ? ": the plain consumer was faster." : ".");
    }

    private String noisy() {
        long sent = result.sent(DemoPlan.NOISY::equals);
        long done = result.spillway().done(DemoPlan.NOISY);
        long fifoDone = result.fifo().done(DemoPlan.NOISY);
        if (done < sent || fifoDone < sent) {
            return String.format(Locale.ROOT,
                    "Of the %,d items of noisy, %,d were done in Spillway and %,d in the FIFO queue.",
                    sent, done, fifoDone);
        }
        long ours = Math.max(1, result.spillway().lastDoneMillis(DemoPlan.NOISY) - result.plan().floodFromMillis());
        long theirs = Math.max(1, result.fifo().lastDoneMillis(DemoPlan.NOISY) - result.plan().floodFromMillis());
        return String.format(Locale.ROOT,
                "All %,d items of noisy were done %s after the start of its flood, with at most %d of the %d slots. "
                        + "The FIFO queue took %s, with at most %d slots: %s.",
                sent, DurationText.of(ours), result.spillway().mostRunning(DemoPlan.NOISY), DemoPlan.SLOTS,
                DurationText.of(theirs), result.fifo().mostRunning(DemoPlan.NOISY),
                ours > ABOUT * theirs ? "Spillway was slower"
                        : theirs > ABOUT * ours ? "Spillway was faster" : "about the same");
    }

    private String slow() {
        int ours = result.spillway().mostRunning(DemoPlan.SLOW);
        int theirs = result.fifo().mostRunning(DemoPlan.SLOW);
        return String.format(Locale.ROOT,
                "While the destination of slow took %d s per item, slow held at most %d of the %d slots in Spillway%s.",
                DemoPlan.SLOW_MILLIS / 1_000, ours, DemoPlan.SLOTS, ours < theirs
                        ? String.format(Locale.ROOT, ", and %d of %d threads of the FIFO queue", theirs, DemoPlan.SLOTS)
                        : " and " + theirs + " threads of the FIFO queue: no difference in this run");
    }

    private String swept() {
        long dropped = result.in(ItemState.DROPPED, DemoPlan.SWEPT::equals);
        int old = DemoPlan.OLD_ITEMS;
        return String.format(Locale.ROOT,
                "Of the %d old items of swept, the sweep dropped %d before a handler got them%s. "
                        + "The FIFO queue handled %,d of the %,d items of swept.",
                old, dropped, dropped < old ? " (the others were handled before the sweep)" : "",
                result.fifo().done(DemoPlan.SWEPT), result.sent(DemoPlan.SWEPT::equals));
    }

    private String poisonPill() {
        long attempts = result.spillway().failed(DemoPlan.POISONED);
        String state = result.pill()
                .map(pill -> "is now in dead-letter with the reason " + pill.reason()
                        + ", from where it can be replayed")
                .orElse("has not reached dead-letter yet");
        return String.format(Locale.ROOT,
                "The poison pill, an item whose handler fails every time, was tried %s and %s. "
                        + "The FIFO queue tried it %s and %s.",
                Printer.count(attempts, "time"), state, Printer.count(result.fifo().failed(DemoPlan.POISONED), "time"),
                result.fifo().givenUp(DemoPlan.POISONED) > 0 ? "lost it" : "has not finished it");
    }

    private static String times(long theirs, long ours) {
        double times = (double) theirs / ours;
        return String.format(Locale.ROOT, times < 10 ? "%.1f" : "%,.0f", times);
    }
}
