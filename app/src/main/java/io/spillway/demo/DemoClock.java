package io.spillway.demo;

import java.time.InstantSource;

/** Clock of the demo, started once. Thread-safe after the start. */
final class DemoClock {
    private final InstantSource clock;
    private volatile long startMillis = Long.MAX_VALUE;

    DemoClock(InstantSource clock) {
        this.clock = clock;
    }

    /** Sets the time of the first item, from now. */
    void startIn(long millis) {
        startMillis = clock.millis() + millis;
    }

    /** Returns the time since the first item was due; negative before it. */
    long elapsedMillis() {
        return clock.millis() - startMillis;
    }

    long epochMillis(long elapsedMillis) {
        return startMillis + elapsedMillis;
    }

    long sinceStartMillis(long epochMillis) {
        return epochMillis - startMillis;
    }
}
