package io.spillway.cli.terminal;

import java.time.InstantSource;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Note that is printed at most once in an interval, first after one interval. Owned by the command's thread. */
public final class PeriodicNote {
    private final InstantSource clock;
    private final long everyMillis;
    private final Consumer<String> output;
    private long nextMillis;

    public PeriodicNote(InstantSource clock, long everyMillis, Consumer<String> output) {
        this.clock = clock;
        this.everyMillis = everyMillis;
        this.output = output;
        this.nextMillis = clock.millis() + everyMillis;
    }

    /** Prints the text if it is due; otherwise does not compute it. */
    public void offer(Supplier<String> text) {
        long nowMillis = clock.millis();
        if (nowMillis >= nextMillis) {
            nextMillis = nowMillis + everyMillis;
            output.accept(text.get());
        }
    }
}
