package io.spillway.cli.terminal;

import java.time.InstantSource;
import java.util.Locale;
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
        note.offer(() -> String.format(Locale.ROOT, "%,d records read, now in %s-%d", passed, topic, partition));
    }
}
