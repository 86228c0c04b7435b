package io.spillway.demo;

import io.spillway.cli.terminal.DurationText;
import io.spillway.cli.terminal.Printer;
import io.spillway.core.item.ItemState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * View of the running demo: on a terminal, a block that is redrawn every second; otherwise a line every two seconds.
 * Owned by the demo's thread.
 */
public final class DemoView {
    private static final int PLAIN_EVERY_MILLIS = 2_000;
    private static final int BAR_WIDTH = 40;
    /** Moves the cursor up by a number of lines and erases everything below it. */
    private static final String BACK = "\u001b[%dA\u001b[J";
    /** Cuts off long lines while the block is drawn: a wrapped line would count as two when it is erased. */
    private static final String CUT = "\u001b[?7l";
    private static final String WRAP = "\u001b[?7h";

    private final Printer printer;
    private final DemoPlan plan;
    private final boolean isTerminal;
    private final Deque<DemoPlan.Event> events;
    private int drawnLines;
    private long nextPlainMillis;

    public DemoView(Printer printer, DemoPlan plan, boolean isTerminal) {
        this.printer = printer;
        this.plan = plan;
        this.isTerminal = isTerminal;
        this.events = new ArrayDeque<>(plan.events());
    }

    void show(DemoSample sample) {
        List<String> lines = new ArrayList<>();
        while (!events.isEmpty() && events.peek().atMillis() <= sample.elapsedMillis()) {
            DemoPlan.Event event = events.pop();
            lines.add(String.format(Locale.ROOT, "%3d s  %s", event.atMillis() / 1_000, event.description()));
        }
        if (isTerminal) {
            redraw(lines, sample);
            return;
        }
        lines.forEach(printer::note);
        if (sample.elapsedMillis() >= nextPlainMillis) {
            nextPlainMillis = sample.elapsedMillis() / PLAIN_EVERY_MILLIS * PLAIN_EVERY_MILLIS + PLAIN_EVERY_MILLIS;
            printer.note(plain(sample));
        }
    }

    /** Prints a line in place of the block. */
    void print(String line) {
        printer.note(erased() + line);
    }

    private void redraw(List<String> events, DemoSample sample) {
        StringBuilder text = new StringBuilder(erased());
        events.forEach(event -> text.append(event).append(System.lineSeparator()));
        List<String> block = block(sample);
        text.append(CUT).append(String.join(System.lineSeparator(), block)).append(WRAP);
        printer.note(text.toString());
        drawnLines = block.size();
    }

    private String erased() {
        String erased = drawnLines == 0 ? "" : String.format(Locale.ROOT, BACK, drawnLines);
        drawnLines = 0;
        return erased;
    }

    private List<String> block(DemoSample sample) {
        long shown = Math.clamp(sample.elapsedMillis(), 0, plan.endMillis());
        int filled = (int) (BAR_WIDTH * shown / plan.endMillis());
        return List.of(
                "",
                "  [" + "=".repeat(filled) + " ".repeat(BAR_WIDTH - filled) + "] " + sample.elapsedMillis() / 1_000
                        + " s",
                "",
                "                         Spillway     FIFO queue",
                String.format(Locale.ROOT,
                        "  quiet tenants p99   %11s    %11s   in the last second",
                        age(sample.quietP99Millis()), age(sample.fifoP99Millis())),
                String.format(Locale.ROOT,
                        "  noisy done          %,11d    %,11d   of %,d sent",
                        sample.noisyDone(), sample.fifoNoisyDone(), sample.noisySent()),
                String.format(Locale.ROOT,
                        "  slow tenant holds   %11d    %11d   of %d slots",
                        sample.slowRunning(), sample.fifoSlowRunning(), DemoPlan.SLOTS),
                String.format(Locale.ROOT,
                        "  waiting             %,11d    %,11d   items", sample.waiting(), sample.fifoWaiting()),
                "    " + lanes(sample),
                String.format(Locale.ROOT,
                        "    dropped %,d  dead-letter %,d",
                        sample.in(ItemState.DROPPED), sample.in(ItemState.DEAD_LETTER)));
    }

    private static String plain(DemoSample sample) {
        return String.format(Locale.ROOT,
                "%3d s  quiet p99 %s (FIFO %s), noisy %,d of %,d done (FIFO %,d), %s (FIFO %,d)",
                sample.elapsedMillis() / 1_000, age(sample.quietP99Millis()), age(sample.fifoP99Millis()),
                sample.noisyDone(), sample.noisySent(), sample.fifoNoisyDone(), lanes(sample), sample.fifoWaiting());
    }

    private static String lanes(DemoSample sample) {
        return ItemState.WAITING.stream()
                .map(lane -> String.format(Locale.ROOT, "%s %,d", lane.label(), sample.in(lane)))
                .collect(Collectors.joining("  "));
    }

    private static String age(long millis) {
        return millis < 0 ? "-" : DurationText.of(millis);
    }
}
