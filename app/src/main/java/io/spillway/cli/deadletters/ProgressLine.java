package io.spillway.cli.deadletters;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.StopSignal;
import io.spillway.deadletter.ScanListener;

/** Listener that prints the progress of a scan once a second and can stop it. Owned by the command's thread. */
final class ProgressLine implements ScanListener {
    private static final long EVERY_MILLIS = 1_000;

    private final StopSignal stop;
    private final CommonOptions common;
    private long nextMillis;

    ProgressLine(StopSignal stop, CommonOptions common) {
        this.stop = stop;
        this.common = common;
        this.nextMillis = common.clock().millis() + EVERY_MILLIS;
    }

    @Override
    public boolean isStopped() {
        return stop.isStopped();
    }

    @Override
    public void progressed(String what, long done, long total) {
        long nowMillis = common.clock().millis();
        if (nowMillis >= nextMillis) {
            nextMillis = nowMillis + EVERY_MILLIS;
            common.printer().note("%d of %d %s".formatted(done, total, what));
        }
    }
}
