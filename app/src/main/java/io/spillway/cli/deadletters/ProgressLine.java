package io.spillway.cli.deadletters;

import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.StopSignal;
import io.spillway.deadletter.ScanListener;
import java.time.InstantSource;

/** Listener that prints the progress of a scan once a second and can stop it. Owned by the command's thread. */
public final class ProgressLine implements ScanListener {
    private static final long EVERY_MILLIS = 1_000;

    private final StopSignal stop;
    private final Printer printer;
    private final InstantSource clock;
    private long nextMillis;

    public ProgressLine(StopSignal stop, Printer printer, InstantSource clock) {
        this.stop = stop;
        this.printer = printer;
        this.clock = clock;
        this.nextMillis = clock.millis() + EVERY_MILLIS;
    }

    @Override
    public boolean isStopped() {
        return stop.isStopped();
    }

    @Override
    public void progressed(String what, long done, long total) {
        long nowMillis = clock.millis();
        if (nowMillis >= nextMillis) {
            nextMillis = nowMillis + EVERY_MILLIS;
            printer.note("%d of %d %s".formatted(done, total, what));
        }
    }
}
