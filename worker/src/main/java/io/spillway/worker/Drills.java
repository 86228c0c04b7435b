package io.spillway.worker;

import io.spillway.core.item.ItemDrill;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.ItemHeaders;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Attempts of the items of a drill, which no handler gets. Thread-safe.
 *
 * @param mayKill whether an item may end this process
 * @param halt    ends the process, and does not return
 */
record Drills(boolean mayKill, InstantSource clock, Runnable halt) {
    private static final Logger LOG = LoggerFactory.getLogger(Drills.class);
    /** As that of a process that SIGKILL ended. */
    private static final int KILLED = 137;

    /** Creates those of a process. */
    static Drills of(boolean mayKill, InstantSource clock) {
        return new Drills(mayKill, clock, () -> Runtime.getRuntime().halt(KILLED));
    }

    static boolean has(LaneItem item) {
        return item.record().headers().lastHeader(ItemHeaders.DRILL) != null;
    }

    /** Runs an attempt, in its thread; empty if its item is of no drill. */
    Optional<Outcome> run(Attempt attempt) {
        return ItemHeaders.text(attempt.item.record().headers(), ItemHeaders.DRILL).map(text ->
                ItemDrill.parse(text).map(drill -> run(attempt, drill)).orElseGet(() -> Outcome.dead(
                        "The header " + ItemHeaders.DRILL + " is not one that the command drill writes.")));
    }

    private Outcome run(Attempt attempt, ItemDrill drill) {
        long nowMillis = clock.millis();
        try {
            // The work of an attempt is to wait.
            new CountDownLatch(1).await(drill.millis(nowMillis), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return Outcome.retry("The attempt was interrupted.");
        }
        return switch (drill.at(nowMillis)) {
            case NONE, SLOW -> Outcome.done();
            case OUTAGE -> Outcome.unavailable("A drill: the destination is down.");
            case KILL -> {
                if (mayKill) {
                    LOG.warn("A drill kills this process, {}", HandlerFailures.describe(attempt));
                    halt.run();
                }
                yield Outcome.done();
            }
        };
    }
}
