package io.spillway.worker;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.spillway.core.engine.WorkerEngine;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.policy.Subscription;
import io.spillway.core.retry.FirstStarts;
import io.spillway.core.scheduling.MaxMinSlots;
import io.spillway.core.scheduling.ThrottledTime;
import io.spillway.handler.Outcome;
import io.spillway.kafka.metrics.AgeTimer;
import io.spillway.kafka.metrics.Departures;
import io.spillway.kafka.metrics.Objectives;
import io.spillway.kafka.metrics.TenantMeters;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** Meters of the worker. Buckets are fixed and tenants limited, so the number of series is limited too. */
final class WorkerMetrics {

    private static final double NANOS_PER_SECOND = 1e9;
    /** Between tenant and workload; no name contains it. */
    private static final char SEPARATOR = '/';
    /** Most pairs of tenant and workload with a series of their own. */
    private static final int WORKLOADS = 20;

    final Departures departures;
    final WaitingMeters waitingItems;
    final Objectives objectives;
    /** Items of which this worker has started a delivery, for the routers, which know those of all workers. */
    final FirstStarts starts = new FirstStarts();
    private final TenantMeters<Counter> timeouts;
    private final TenantMeters<FailureMeters> failures;
    private final MeterRegistry registry;
    private final TenantMeters<Map<Lane, Timer>> ageOfFirstAttempt;
    private final TenantMeters<Timer> ageOfWorkload;
    private final ThrottledTime throttled = new ThrottledTime();
    /** None for the others, whose shares have no sum. */
    private final TenantMeters<Optional<Gauge>> atCap;
    private final Map<Lane, Timer> ageOfRetry = new EnumMap<>(Lane.class);
    private final Map<Lane, Counter> pollsWithRecords = new EnumMap<>(Lane.class);
    private final Map<Lane, Counter> pollsEmpty = new EnumMap<>(Lane.class);
    private final Map<Lane, Long> depth = new ConcurrentHashMap<>();
    private final Meter.MeterProvider<Counter> moved;
    private final Map<String, Counter> handled = new HashMap<>();
    private final Map<String, Timer> handlerDuration = new HashMap<>();
    private final Map<Lane, Timer> setAsideFirst = new EnumMap<>(Lane.class);
    private final Map<Lane, Timer> setAsideRetry = new EnumMap<>(Lane.class);
    private final Counter deliveriesStarted;
    private final Timer deliveriesDone;
    private final Counter leasesEnded;
    private final Counter transactionsFailed;
    private ToLongFunction<Lane> waiting = lane -> 0;

    /** Of one tenant, or of the others, which have no gauge. */
    private record FailureMeters(Optional<Gauge> unavailable, Counter failed) {}

    /**
     * Registers all meters except those of tenants, which are registered with their first item.
     *
     * @param tenants     maximum number of tenants with series of their own
     * @param unavailable whether nearly all items of a tenant fail
     * @param lateAfter   age at which an item without an attempt makes its tenant late
     */
    WorkerMetrics(
            MeterRegistry registry, int tenants, Predicate<String> unavailable, Duration lateAfter,
            InstantSource clock) {
        this.registry = registry;
        departures = new Departures(registry);
        objectives = new Objectives(registry, tenants,
                EnumSet.of(Objectives.Result.MET, Objectives.Result.LATE, Objectives.Result.FAILED));
        failures = new TenantMeters<>(tenants, tenant -> failureMeters(tenant, unavailable), removed -> {
            removed.unavailable().ifPresent(registry::remove);
            registry.remove(removed.failed());
        });
        waitingItems = new WaitingMeters(registry, tenants, lateAfter, clock);
        timeouts = new TenantMeters<>(
                tenants, tenant -> Counter.builder("spillway.tenant.timeouts")
                        .description("Attempts that timed out, by tenant").tag("tenant", tenant).register(registry),
                registry::remove);
        ageOfFirstAttempt = new TenantMeters<>(
                tenants, this::ageTimers, timers -> timers.values().forEach(registry::remove));
        ageOfWorkload = new TenantMeters<>(WORKLOADS, this::workloadTimer, registry::remove);
        atCap = new TenantMeters<>(tenants, this::atCapGauge, gauge -> gauge.ifPresent(registry::remove));
        for (Lane lane : Lane.WORKED) {
            ageOfRetry.put(lane, AgeTimer.of("spillway.age_of_retry", "Age of an item at a retry")
                    .tag("lane", lane.label()).register(registry));
            setAsideFirst.put(lane, setAside(lane, "first"));
            setAsideRetry.put(lane, setAside(lane, "retry"));
            pollsWithRecords.put(lane, polls(lane, false));
            pollsEmpty.put(lane, polls(lane, true));
        }
        leasesEnded = Counter.builder("spillway.leases.ended")
                .description("Attempts interrupted because their lease had ended").register(registry);
        transactionsFailed = Counter.builder("spillway.worker.transactions.failed")
                .description("Transactions that were aborted and retried").register(registry);
        deliveriesStarted = Counter.builder("spillway.deliveries.started")
                .description("Deliveries to subscriptions at their first attempt").register(registry);
        deliveriesDone = AgeTimer.of("spillway.age_of_done_delivery", "Age of a delivery to a subscription when done")
                .register(registry);
        for (String outcome : List.of("done", "retry", "unavailable", "dead", "later", "timeout", "interrupted")) {
            handled.put(outcome, Counter.builder("spillway.handled")
                    .description("Attempts by outcome").tag("outcome", outcome).register(registry));
            handlerDuration.put(outcome, AgeTimer
                    .of("spillway.handler.duration", "Duration of handler calls by outcome")
                    .tag("outcome", outcome).register(registry));
        }
        moved = Counter.builder("spillway.moved")
                .description("Items that the worker moved to another lane without an attempt").withRegistry(registry);
        // Prometheus sees an increase only in a series that existed before it.
        moved(Lane.OVERFLOW, LaneReason.EXCESS);
        moved(Lane.AGED, LaneReason.AGE);
        moved(Lane.DELAY, LaneReason.CAPPED);
        moved(Lane.DELAY, LaneReason.LATER);
        moved(Lane.DELAY, LaneReason.PAUSED);
        moved(Lane.DELAY, LaneReason.CLAIMED);
        moved(Lane.DELAY, LaneReason.LOST);
        Lane.WORKED.forEach(lane -> moved(lane, LaneReason.ISOLATED));
    }

    /**
     * Registers the gauges of the worker's state; called before the first poll.
     *
     * @param unavailable number of destinations at which nearly all items fail
     */
    void watch(
            WorkerCore core, int slots, Supplier<Number> unavailable, InstantSource clock, LongSupplier nanoClock) {
        watchWaiting(lane -> core.read(engine -> engine.waiting(lane)));
        gauge("spillway.in_flight", () -> core.count(attempt -> !attempt.isRider()), "Handler calls in progress");
        gauge("spillway.handler.deaf", () -> core.count(attempt -> attempt.isInterrupted() && !attempt.isRider()),
                "Handler calls that go on after their interrupt and keep their slots");
        gauge("spillway.slots", () -> slots, "Maximum concurrent handler calls");
        FunctionCounter.builder("spillway.slots.busy", core,
                        measured -> measured.read(engine -> engine.busyNanos(nanoClock.getAsLong())) / NANOS_PER_SECOND)
                .description("Time for which handler calls have run, summed over the slots").baseUnit("seconds")
                .register(registry);
        gauge("spillway.worker.tenants_at_cap", () -> core.read(engine -> engine.dispatch().tenantsAtCap()),
                "Tenants at their concurrency limit");
        gauge("spillway.destinations.unavailable", unavailable,
                "Destinations at which nearly all items fail, over all tenants of this worker");
        gauge("spillway.tenants.timing_out",
                () -> core.read(engine -> engine.timeouts().alwaysTimingOut(clock.millis())),
                "Tenants whose attempts all time out in this worker, the latest 20 or more");
        gauge("spillway.worker.suspects", () -> core.read(WorkerEngine::suspects),
                "Items that may have killed a worker and wait to run alone");
        for (Lane lane : Lane.WORKED) {
            gauge("spillway.lane.waiting", () -> depth.getOrDefault(lane, 0L),
                    "Items that wait in a lane, over all workers", "lane", lane.label());
        }
    }

    /** Registers the gauges of the read-ahead, from the number of items of a lane that wait in this worker. */
    void watchWaiting(ToLongFunction<Lane> now) {
        waiting = now;
        for (Lane lane : Lane.WORKED) {
            gauge("spillway.worker.waiting", () -> now.applyAsLong(lane),
                    "Items of a lane that wait in the memory of this worker", "lane", lane.label());
        }
    }

    /**
     * Records the start of a call.
     *
     * @param ageMillis time that the item has waited, 0 or more
     * @param nowMillis epoch milliseconds
     */
    void started(LaneItem item, long ageMillis, long nowMillis) {
        waitingItems.started(item, nowMillis);
        if (item.attemptedBefore()) {
            ageOfRetry.get(item.lane()).record(ageMillis, TimeUnit.MILLISECONDS);
        } else {
            ageOfFirstAttempt.of(item.tenant()).get(item.lane()).record(ageMillis, TimeUnit.MILLISECONDS);
            if (!item.workload().isEmpty()) {
                ageOfWorkload.of(item.tenant() + SEPARATOR + item.workload()).record(ageMillis, TimeUnit.MILLISECONDS);
            }
            if (Subscription.isDelivery(item.workload())) {
                deliveriesStarted.increment();
                starts.started(new FirstStarts.Start(item.hashOfItem(), ageMillis));
            }
        }
    }

    /** Records the age of an item that was taken without an attempt: dropped, ended, or moved to another lane. */
    void setAside(LaneItem item, long nowMillis) {
        (item.attemptedBefore() ? setAsideRetry : setAsideFirst).get(item.lane())
                .record(Math.max(0, nowMillis - item.times().enqueuedAtMillis()), TimeUnit.MILLISECONDS);
    }

    /** @param startMillis epoch milliseconds */
    void ended(LaneItem item, Outcome result, long startMillis, long durationNanos) {
        if (result instanceof Outcome.Done && Subscription.isDelivery(item.workload())) {
            long ageMillis = startMillis - item.ageSinceMillis() + TimeUnit.NANOSECONDS.toMillis(durationNanos);
            deliveriesDone.record(Math.max(0, ageMillis), TimeUnit.MILLISECONDS);
        }
        if (result instanceof Outcome.TimedOut) {
            timedOut(item.tenant());
        }
        String outcome = outcomeOf(result);
        handlerDuration.get(outcome).record(durationNanos, TimeUnit.NANOSECONDS);
        handled.get(outcome).increment();
    }

    /** Records which concurrency limits hold items back now; called once a second. */
    void limitsAtCap(Set<String> keys) {
        synchronized (throttled) {
            throttled.sample(keys);
        }
        keys.forEach(atCap::of);
    }

    /** Counts a failed attempt that is repeated. */
    void failed(String tenant) {
        failures.of(tenant).failed().increment();
    }

    void timedOut(String tenant) {
        timeouts.of(tenant).increment();
    }

    /**
     * Counts a poll of a lane. It counts as empty only when no items of the lane wait in this worker either, because a
     * lane with a full read-ahead is not polled.
     */
    void polled(Lane lane, boolean withoutRecords) {
        boolean empty = withoutRecords && waiting.applyAsLong(lane) == 0;
        (empty ? pollsEmpty : pollsWithRecords).get(lane).increment();
    }

    /** Sets the number of items that wait in a lane, over all workers. */
    void depth(Lane lane, long items) {
        depth.put(lane, items);
    }

    /** Returns the counter of the moves to a lane for a reason. */
    Counter moved(Lane to, LaneReason reason) {
        return moved.withTags("lane", to.label(), "reason", reason.label());
    }

    void leasesEnded(int count) {
        leasesEnded.increment(count);
    }

    void transactionFailed() {
        transactionsFailed.increment();
    }

    /** Reassigns the series with tenant names to the busiest tenants. */
    void electTenants() {
        ageOfFirstAttempt.elect();
        ageOfWorkload.elect();
        atCap.elect();
        failures.elect();
        waitingItems.elect();
        timeouts.elect();
        objectives.elect();
    }

    /** Returns the name of an outcome, as labels and spans have it. */
    static String outcomeOf(Outcome result) {
        return switch (result) {
            case Outcome.Done succeeded -> "done";
            case Outcome.Retry failed -> "retry";
            case Outcome.Unavailable failed -> "unavailable";
            case Outcome.Dead dead -> "dead";
            case Outcome.Later later -> "later";
            case Outcome.TimedOut timedOut -> "timeout";
            case Outcome.Interrupted interrupted -> "interrupted";
        };
    }

    private Map<Lane, Timer> ageTimers(String tenant) {
        Map<Lane, Timer> timers = new EnumMap<>(Lane.class);
        for (Lane lane : Lane.WORKED) {
            timers.put(lane, AgeTimer.of("spillway.age_of_first_attempt", "Age of an item at its first attempt")
                    .tags("lane", lane.label(), "tenant", tenant).register(registry));
        }
        return timers;
    }

    private FailureMeters failureMeters(String tenant, Predicate<String> unavailable) {
        Counter failed = Counter.builder("spillway.attempts.failed")
                .description("Failed attempts that are repeated, by tenant").tag("tenant", tenant).register(registry);
        return new FailureMeters(tenant.equals(TenantMeters.OTHERS) ? Optional.empty() : Optional.of(
                Gauge.builder("spillway.destination.unavailable", () -> unavailable.test(tenant) ? 1 : 0)
                        .description("1 while nearly all items of a tenant fail in this worker, so that failures use up"
                                + " no attempts")
                        .tag("tenant", tenant).strongReference(true).register(registry)), failed);
    }

    private Timer setAside(Lane lane, String attempt) {
        return AgeTimer.of("spillway.age_of_set_aside", "Age of an item that was taken without an attempt")
                .tags("lane", lane.label(), "attempt", attempt).register(registry);
    }

    /** @param label tenant and workload, or the label of all others */
    private Timer workloadTimer(String label) {
        int separator = label.indexOf(SEPARATOR);
        return AgeTimer.of("spillway.workload.age_of_first_attempt",
                        "Age of an item with a workload at its first attempt, by tenant and workload")
                .tags("tenant", separator < 0 ? label : label.substring(0, separator),
                        "workload", separator < 0 ? label : label.substring(separator + 1))
                .register(registry);
    }

    /** @param key as {@link MaxMinSlots#key} returns it, or the label of all others */
    private Optional<Gauge> atCapGauge(String key) {
        int separator = key.indexOf(SEPARATOR);
        return key.equals(TenantMeters.OTHERS) ? Optional.empty()
                : Optional.of(Gauge.builder("spillway.at_cap", () -> {
                    synchronized (throttled) {
                        return throttled.of(key);
                    }
                }).description("Share of the last minute for which a concurrency limit has held items back here")
                        .tags("tenant", separator < 0 ? key : key.substring(0, separator),
                                "workload", separator < 0 ? "" : key.substring(separator + 1))
                        .strongReference(true).register(registry));
    }

    private void gauge(String name, Supplier<Number> value, String description, String... tags) {
        Gauge.builder(name, value).description(description).tags(tags).register(registry);
    }


    private Counter polls(Lane lane, boolean empty) {
        return Counter.builder("spillway.polls")
                .description("Polls of a lane; without empty polls the workers have no spare capacity")
                .tags("lane", lane.label(), "empty", Boolean.toString(empty)).register(registry);
    }
}
