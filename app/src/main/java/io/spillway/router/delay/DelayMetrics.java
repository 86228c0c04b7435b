package io.spillway.router.delay;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * What the delay stages of this process show together. Owner of the set of those at work, which stream threads change;
 * bounded by the partitions of the delay lane.
 */
public final class DelayMetrics {
    private final Set<Timers> atWork = ConcurrentHashMap.newKeySet();
    private final Counter clamped;

    /**
     * Registers the meters.
     *
     * @param clock for how long timers are overdue
     */
    public DelayMetrics(MeterRegistry registry, InstantSource clock) {
        Gauge.builder("spillway.delay.timers", this, DelayMetrics::waiting)
                .description("Items that wait for their time in the partitions of this process; an estimate")
                .register(registry);
        TimeGauge.builder("spillway.delay.overdue", () -> overdueMillis(clock.millis()), TimeUnit.MILLISECONDS)
                .description("How long the earliest item has been due that still waits")
                .register(registry);
        clamped = Counter.builder("spillway.delay.clamped")
                .description("Items with a due time too far ahead, which wait for the longest time allowed")
                .register(registry);
    }

    void started(Timers timers) {
        atWork.add(timers);
    }

    void stopped(Timers timers) {
        atWork.remove(timers);
    }

    void clamped() {
        clamped.increment();
    }

    /** Stages at work in this process. */
    int stages() {
        return atWork.size();
    }

    private double waiting() {
        return atWork.stream().mapToLong(Timers::waiting).sum();
    }

    private long overdueMillis(long nowMillis) {
        long nextDueMillis = atWork.stream()
                .mapToLong(Timers::nextDueMillis)
                // 0 is a stage that has not looked yet.
                .filter(due -> due > 0)
                .min()
                .orElse(Timers.NEVER);
        return Math.max(0, nowMillis - nextDueMillis);
    }
}
