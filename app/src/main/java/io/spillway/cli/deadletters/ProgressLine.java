package io.spillway.cli.deadletters;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.PeriodicNote;
import io.spillway.cli.terminal.StopSignal;
import io.spillway.deadletter.ScanListener;
import java.util.Locale;

/** Listener that prints the progress of a scan once a second and can stop it. Owned by the command's thread. */
record ProgressLine(StopSignal stop, PeriodicNote note) implements ScanListener {
    ProgressLine(StopSignal stop, CommonOptions common) {
        this(stop, new PeriodicNote(common.clock(), 1_000, common.printer()::note));
    }

    @Override
    public boolean isStopped() {
        return stop.isStopped();
    }

    @Override
    public void progressed(String what, long done, long total) {
        note.offer(() -> String.format(Locale.ROOT, "%d of %d %s", done, total, what));
    }
}
