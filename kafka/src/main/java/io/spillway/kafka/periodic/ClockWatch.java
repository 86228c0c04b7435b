package io.spillway.kafka.periodic;

import io.spillway.core.routing.ClockSteps;
import java.time.InstantSource;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watch over the wall clock of a role, by the rules of {@link ClockSteps}: reads it every second and whenever an item
 * seems too old. Logs a forward step and its end.
 *
 * <p>Thread-safe. Owner of its thread and of its {@link ClockSteps}.
 */
public final class ClockWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClockWatch.class);
    private static final long PERIOD_MILLIS = 1_000;

    private final String role;
    private final InstantSource clock;
    private final LongSupplier nanoClock;
    private final ClockSteps steps;
    private final PeriodicTask task;
    private long loggedMillis;

    /** Creates the watch of a role, whose name is part of its messages; {@code nanoClock} is monotonic. */
    public ClockWatch(String role, InstantSource clock, LongSupplier nanoClock) {
        this.role = role;
        this.clock = clock;
        this.nanoClock = nanoClock;
        this.steps = new ClockSteps(clock.millis(), nanoClock.getAsLong());
        this.task = new PeriodicTask(role.toLowerCase(Locale.ROOT) + "-clock", this::aheadMillis, failure ->
                LOG.warn("The clock cannot be read; trying again: {}", failure));
    }

    /** Starts reading the clocks every second. */
    public void start(StartDelays delays) {
        task.start(delays, PERIOD_MILLIS);
    }

    /** Returns the milliseconds to subtract from the age of an item because of forward steps, 0 or more. */
    public synchronized long aheadMillis() {
        long aheadMillis = steps.aheadMillis(clock.millis(), nanoClock.getAsLong());
        if (aheadMillis > loggedMillis) {
            LOG.error("{}: the clock of this machine went forward by {} s at once. For {} s no item is dropped or moved"
                            + " to aged because of that; then the new time counts. If the time is wrong, correct it"
                            + " before.",
                    role, (aheadMillis - loggedMillis) / 1_000, ClockSteps.HOLD_MILLIS / 1_000);
        } else if (aheadMillis < loggedMillis) {
            LOG.warn("{}: the clock of this machine counts for the age of items again, {}", role, aheadMillis == 0
                    ? "because it was set back or " + ClockSteps.HOLD_MILLIS / 1_000 + " s have passed"
                    : "except for " + aheadMillis / 1_000 + " s by which it is still ahead");
        }
        loggedMillis = aheadMillis;
        return aheadMillis;
    }

    @Override
    public void close() {
        task.close();
    }
}
