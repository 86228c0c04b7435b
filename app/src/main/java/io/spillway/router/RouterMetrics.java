package io.spillway.router;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.spillway.policy.DeadReason;
import io.spillway.policy.DropReason;
import io.spillway.policy.LaneReason;
import io.spillway.policy.Printable;
import io.spillway.policy.Route;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the router counts, every series made before the first record. A transaction that is aborted and done again is
 * counted twice: these are rates for alarms; the books are elsewhere.
 */
final class RouterMetrics {
    private static final Logger LOG = LoggerFactory.getLogger(RouterMetrics.class);

    private final Map<LaneReason, Counter> routed = new EnumMap<>(LaneReason.class);
    private final Map<DropReason, Counter> dropped = new EnumMap<>(DropReason.class);
    private final Map<DeadReason, Counter> deadLettered = new EnumMap<>(DeadReason.class);
    private final Timer future;
    private final Timer past;
    private final AtomicLong ownErrors = new AtomicLong();

    RouterMetrics(MeterRegistry registry) {
        for (Route.ToLane to : List.of(Route.HOT, Route.OVERFLOW, Route.AGED)) {
            routed.put(to.reason(), Counter.builder("spillway.routed")
                    .description("Items put into a lane")
                    .tag("lane", to.lane().label())
                    .tag("reason", to.reason().label())
                    .register(registry));
        }
        for (DropReason reason : DropReason.values()) {
            dropped.put(reason, Counter.builder("spillway.dropped")
                    .description("Items dropped by rule")
                    .tag("reason", reason.label())
                    .register(registry));
        }
        for (DeadReason reason : DeadReason.values()) {
            deadLettered.put(reason, Counter.builder("spillway.dead_lettered")
                    .description("Items put into the dead-letter lane")
                    .tag("reason", reason.label())
                    .register(registry));
        }
        future = skew(registry, "future");
        past = skew(registry, "past");
    }

    void routed(Route.ToLane to) {
        routed.get(to.reason()).increment();
    }

    void dropped(DropReason reason) {
        dropped.get(reason).increment();
    }

    void deadLettered(DeadReason reason) {
        deadLettered.get(reason).increment();
    }

    /** Counts a time that cannot be believed, by how far it is off. */
    void clockSkew(long saidMillis, long nowMillis) {
        if (saidMillis > nowMillis) {
            future.record(difference(saidMillis, nowMillis), TimeUnit.MILLISECONDS);
        } else {
            past.record(difference(nowMillis, saidMillis), TimeUnit.MILLISECONDS);
        }
    }

    /** Logs an error of our own, with its stack: the first, and then ever more seldom, for a bug may meet every record. */
    void ownError(Throwable error) {
        long count = ownErrors.incrementAndGet();
        if (Long.bitCount(count) == 1) {
            Throwable printable = new IllegalStateException(Printable.of(error.toString()));
            printable.setStackTrace(error.getStackTrace());
            LOG.error("Routing failed on a record, which is now a dead letter ({} so far)", count, printable);
        }
    }

    private static long difference(long laterMillis, long earlierMillis) {
        long difference = laterMillis - earlierMillis;
        // Absurd times may be so far apart that the difference does not fit.
        return difference < 0 ? Long.MAX_VALUE : difference;
    }

    private static Timer skew(MeterRegistry registry, String direction) {
        return Timer.builder("spillway.clock_skew")
                .description("How far the time of items is off that say they were made in the future, or before 2000")
                .tag("direction", direction)
                .register(registry);
    }
}
