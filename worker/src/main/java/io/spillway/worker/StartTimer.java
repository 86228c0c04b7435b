package io.spillway.worker;

import java.util.OptionalLong;
import java.util.function.LongSupplier;

/** Time at which a rate lets the next item start, for the thread that waits for it. Set under the signal's lock. */
final class StartTimer {
    private final Guard.Signal sooner;
    private volatile OptionalLong atNanos = OptionalLong.empty();

    StartTimer(Guard.Signal sooner) {
        this.sooner = sooner;
    }

    /**
     * Sets the time.
     *
     * @param ofRateNanos empty if no item waits for one
     * @param mayStart    whether an item may start apart from its rate: a time that passes in vain would stay, and the
     *                    thread would spin
     */
    void set(OptionalLong ofRateNanos, boolean mayStart) {
        OptionalLong nextNanos = mayStart ? ofRateNanos : OptionalLong.empty();
        OptionalLong before = atNanos;
        // Two times of any origin.
        if (nextNanos.isPresent() && (before.isEmpty() || nextNanos.getAsLong() - before.getAsLong() < 0)) {
            sooner.raise();
        }
        atNanos = nextNanos;
    }

    /** Waits for the time, not under the lock. It may return too early when the time changes. */
    void await(LongSupplier nanoClock) throws InterruptedException {
        OptionalLong until = atNanos;
        sooner.await(until.isEmpty() ? Long.MAX_VALUE : until.getAsLong() - nanoClock.getAsLong());
    }
}
