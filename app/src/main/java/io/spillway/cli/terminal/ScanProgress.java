package io.spillway.cli.terminal;

import java.time.InstantSource;
import java.util.function.Consumer;

/** Progress of a scan of topics, printed every {@value #EVERY_MILLIS} ms. Owned by the command's thread. */
public final class ScanProgress {
    static final long EVERY_MILLIS = 3_000;

    private final PeriodicNote note;
    private long passed;

    public ScanProgress(InstantSource clock, Consumer<String> output) {
        this.note = new PeriodicNote(clock, EVERY_MILLIS, output);
    }

    /** Counts a record that was read. */
    public void passed(String topic, int partition) {
        passed++;
        note.offer(() -> Printer.count(passed, "record") + " read, now in " + topic + "-" + partition);
    }
}
