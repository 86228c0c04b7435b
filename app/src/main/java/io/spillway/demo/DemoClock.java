package io.spillway.demo;

import java.time.InstantSource;

/** The time of the demo, which begins once. Safe for any number of threads after that. */
final class DemoClock {
    private final InstantSource clock;
    private volatile long startMillis = Long.MAX_VALUE;

    DemoClock(InstantSource clock) {
        this.clock = clock;
    }

    /** The first item is sent so many milliseconds from now. */
    void startIn(long millis) {
        startMillis = clock.millis() + millis;
    }

    /** Milliseconds since the first item was to be sent; negative before. */
    long elapsedMillis() {
        return clock.millis() - startMillis;
    }

    /** Of a time since the first item, in epoch milliseconds. */
    long epochMillis(long elapsedMillis) {
        return startMillis + elapsedMillis;
    }

    /** Of a time in epoch milliseconds, since the first item. */
    long sinceStartMillis(long epochMillis) {
        return epochMillis - startMillis;
    }
}
