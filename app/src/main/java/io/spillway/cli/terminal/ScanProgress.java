package io.spillway.cli.terminal;

import java.time.InstantSource;
import java.util.Locale;
import java.util.function.Consumer;

/** Says every {@value #EVERY_MILLIS} ms how far a scan has come, so that a short one says nothing. Owned by the command's thread. */
public final class ScanProgress {
    static final long EVERY_MILLIS = 3_000;

    private final InstantSource clock;
    private final Consumer<String> say;
    private long nextMillis;
    private long passed;

    /**
     * Begins now.
     *
     * @param say gets a line for people
     */
    public ScanProgress(InstantSource clock, Consumer<String> say) {
        this.clock = clock;
        this.say = say;
        this.nextMillis = clock.millis() + EVERY_MILLIS;
    }

    /** Takes in that a record was read. */
    public void passed(String topic, int partition) {
        passed++;
        long nowMillis = clock.millis();
        if (nowMillis >= nextMillis) {
            nextMillis = nowMillis + EVERY_MILLIS;
            say.accept(String.format(Locale.ROOT, "%,d records read, now in %s-%d", passed, topic, partition));
        }
    }
}
