package io.spillway.demo;

import io.spillway.cli.terminal.DurationText;
import io.spillway.core.item.ItemState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * The figures of a demo in words: what each sentence says depends on them, also where they speak against Spillway.
 *
 * @param result of the run
 */
record DemoFindings(DemoResult result) {
    private static final double P50 = 50;
    private static final double P99 = 99;
    /** From here on one figure is said to be greater than another. */
    private static final double CLEARLY = 1.5;
    /** Two times that differ by no more are said to be about the same. */
    private static final double ABOUT = 1.15;

    /** One sentence or two for each. */
    List<String> all() {
        List<String> findings = new ArrayList<>();
        during().ifPresent(findings::add);
        price().ifPresent(findings::add);
        findings.add(noisy());
        findings.add(slow());
        findings.add(swept());
        findings.add(poison());
        if (!result.isFinished()) {
            findings.add("Not everything was finished %d s after the last item was sent: %,d items wait by the books."
                    .formatted(result.plan().mostWaitMillis() / 1_000, result.waiting(any -> true)));
        }
        return findings;
    }

    private Optional<String> during() {
        Histogram spillway = result.spillway().ages(DemoPlan.Phase.DURING);
        Histogram fifo = result.fifo().ages(DemoPlan.Phase.DURING);
        if (spillway.getTotalCount() == 0 || fifo.getTotalCount() == 0) {
            return Optional.empty();
        }
        long ours = Math.max(1, spillway.getValueAtPercentile(P99));
        long theirs = Math.max(1, fifo.getValueAtPercentile(P99));
        String figures = "With the flood and the slow destination, 99%% of the quiet items waited at most %s through Spillway and %s in the FIFO queue"
                .formatted(duration(ours), duration(theirs));
        return Optional.of(figures + (theirs >= CLEARLY * ours ? ", which is %s times as long.".formatted(times(theirs, ours))
                : ours >= CLEARLY * theirs ? ": in this run Spillway was the slower one." : ": no great difference in this run."));
    }

    /** What Spillway costs while nothing is wrong. */
    private Optional<String> price() {
        Histogram spillway = result.spillway().ages(DemoPlan.Phase.BEFORE);
        Histogram fifo = result.fifo().ages(DemoPlan.Phase.BEFORE);
        if (spillway.getTotalCount() == 0 || fifo.getTotalCount() == 0) {
            return Optional.empty();
        }
        long ours = spillway.getValueAtPercentile(P50);
        long theirs = fifo.getValueAtPercentile(P50);
        return Optional.of("While nothing was wrong, half of them waited %s through Spillway and %s in the FIFO queue%s".formatted(
                duration(ours), duration(theirs),
                ours > theirs ? ": the plain consumer was the faster one." : "."));
    }

    private String noisy() {
        long sent = result.sent(DemoPlan.NOISY::equals);
        long done = result.spillway().done(DemoPlan.NOISY);
        long fifoDone = result.fifo().done(DemoPlan.NOISY);
        if (done < sent || fifoDone < sent) {
            return "Of noisy's %,d items %,d were done through Spillway and %,d in the FIFO queue.".formatted(sent, done, fifoDone);
        }
        long ours = Math.max(1, result.spillway().lastDoneMillis(DemoPlan.NOISY) - result.plan().floodFromMillis());
        long theirs = Math.max(1, result.fifo().lastDoneMillis(DemoPlan.NOISY) - result.plan().floodFromMillis());
        return "Noisy's %,d items were all done %s after its flood began, on at most %d of the %d slots; in the FIFO queue %s, on at most %d: %s.".formatted(
                sent, duration(ours), result.spillway().mostRunning(DemoPlan.NOISY), DemoPlan.SLOTS,
                duration(theirs), result.fifo().mostRunning(DemoPlan.NOISY),
                ours > ABOUT * theirs ? "Spillway's worker was later with them"
                        : theirs > ABOUT * ours ? "Spillway's worker was sooner with them" : "about as soon");
    }

    private String slow() {
        int ours = result.spillway().mostRunning(DemoPlan.SLOW);
        int theirs = result.fifo().mostRunning(DemoPlan.SLOW);
        return "While its destination took %d s an item, the slow tenant held at most %d of the %d slots through Spillway%s.".formatted(
                DemoPlan.SLOW_MILLIS / 1_000, ours, DemoPlan.SLOTS,
                ours < theirs ? ", and %d of %d threads behind the FIFO queue".formatted(theirs, DemoPlan.SLOTS)
                        : " and %d threads behind the FIFO queue: no difference in this run".formatted(theirs));
    }

    private String swept() {
        long dropped = result.in(ItemState.DROPPED, DemoPlan.SWEPT::equals);
        int old = DemoPlan.OLD_ITEMS + DemoPlan.LATE_ITEMS;
        return "Of swept's %d old items the sweep saved %d from being handled%s; the FIFO queue's consumer handled %,d of its %,d items.".formatted(
                old, dropped, dropped < old ? " (the others were handled before it came)" : "",
                result.fifo().done(DemoPlan.SWEPT), result.sent(DemoPlan.SWEPT::equals));
    }

    private String poison() {
        long attempts = result.spillway().failed(DemoPlan.POISONED);
        String fate = result.pill()
                .map(pill -> "lies in dead-letter, with its reason (%s) and ready to be replayed".formatted(pill.reason()))
                .orElse("has not come to dead-letter yet");
        return ("The poison pill, an item whose handler fails every time (here it kills no process), was tried %d times and %s; "
                + "the FIFO queue's consumer tried it %d times and %s.").formatted(
                attempts, fate, result.fifo().failed(DemoPlan.POISONED),
                result.fifo().givenUp(DemoPlan.POISONED) > 0 ? "lost it" : "is not done with it");
    }

    private static String times(long theirs, long ours) {
        double times = (double) theirs / ours;
        return times < 10 ? String.format(Locale.ROOT, "%.1f", times) : "%,d".formatted(Math.round(times));
    }

    private static String duration(long millis) {
        return DurationText.of(millis);
    }
}
