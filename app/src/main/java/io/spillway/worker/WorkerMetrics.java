package io.spillway.worker;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.spillway.metrics.TenantMeters;
import io.spillway.policy.AttemptResult;
import io.spillway.policy.DeadReason;
import io.spillway.policy.DropReason;
import io.spillway.policy.Lane;
import io.spillway.policy.LaneReason;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * What the worker measures, AgeOfFirstAttempt above all. Buckets are fixed and tenants bounded, so the number of series
 * is too.
 */
final class WorkerMetrics {
    private static final Duration[] AGES = {
        Duration.ofMillis(10), Duration.ofMillis(25), Duration.ofMillis(50), Duration.ofMillis(100),
        Duration.ofMillis(250), Duration.ofMillis(500), Duration.ofSeconds(1), Duration.ofMillis(2_500),
        Duration.ofSeconds(5), Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofMinutes(1),
        Duration.ofMinutes(5), Duration.ofMinutes(15), Duration.ofHours(1), Duration.ofHours(6), Duration.ofDays(1)
    };
    private static final Lane[] LANES = {Lane.HOT, Lane.OVERFLOW, Lane.AGED};

    private final MeterRegistry registry;
    private final TenantMeters<Map<Lane, Timer>> ageOfFirstAttempt;
    private final Map<Lane, Timer> ageOfRetry = new EnumMap<>(Lane.class);
    private final Map<Lane, Counter> pollsWithRecords = new EnumMap<>(Lane.class);
    private final Map<Lane, Counter> pollsEmpty = new EnumMap<>(Lane.class);
    private final Map<DeadReason, Counter> deadLettered = new EnumMap<>(DeadReason.class);
    private final Map<DropReason, Counter> dropped = new EnumMap<>(DropReason.class);
    private final Map<String, Counter> moved = new ConcurrentHashMap<>();
    private final Map<String, Counter> handled = new ConcurrentHashMap<>();
    private final Timer handlerDuration;
    private final Counter leasesEnded;
    private final Counter transactionsFailed;

    WorkerMetrics(MeterRegistry registry, int tenants) {
        this.registry = registry;
        ageOfFirstAttempt = new TenantMeters<>(tenants, this::ageTimers, timers -> timers.values().forEach(registry::remove));
        for (Lane lane : LANES) {
            ageOfRetry.put(lane, Timer.builder("spillway.age_of_retry")
                    .description("Age of an item when it is attempted again")
                    .tag("lane", lane.label())
                    .serviceLevelObjectives(AGES)
                    .register(registry));
            pollsWithRecords.put(lane, polls(lane, false));
            pollsEmpty.put(lane, polls(lane, true));
        }
        for (DeadReason reason : DeadReason.values()) {
            deadLettered.put(reason, Counter.builder("spillway.dead_lettered")
                    .description("Items put into the dead-letter lane")
                    .tag("reason", reason.label())
                    .register(registry));
        }
        for (DropReason reason : DropReason.values()) {
            dropped.put(reason, Counter.builder("spillway.dropped")
                    .description("Items dropped by rule")
                    .tag("reason", reason.label())
                    .register(registry));
        }
        handlerDuration = Timer.builder("spillway.handler.duration")
                .description("Time in the handler")
                .serviceLevelObjectives(AGES)
                .register(registry);
        leasesEnded = Counter.builder("spillway.leases.ended")
                .description("Attempts interrupted because their lease was over")
                .register(registry);
        transactionsFailed = Counter.builder("spillway.worker.transactions.failed")
                .description("Transactions that were aborted and made again")
                .register(registry);
    }

    /** Registers the gauges over what the worker holds. */
    void watch(WorkerCore core, int slots) {
        Gauge.builder("spillway.in_flight", core, WorkerCore::inFlight)
                .description("Handlers running").register(registry);
        Gauge.builder("spillway.handler.deaf", core, WorkerCore::deaf)
                .description("Handlers that go on after their interrupt, and keep their slots").register(registry);
        Gauge.builder("spillway.slots", () -> slots).description("Most handlers at once").register(registry);
        Gauge.builder("spillway.worker.tenants_at_cap", core, WorkerCore::tenantsAtCap)
                .description("Tenants with as many handlers as they may have").register(registry);
        Gauge.builder("spillway.worker.suspects", core, WorkerCore::suspects)
                .description("Items that a worker may have died with, waiting to run alone").register(registry);
        for (Lane lane : LANES) {
            Gauge.builder("spillway.worker.waiting", core, each -> each.waiting(lane))
                    .description("Items read ahead")
                    .tag("lane", lane.label()).register(registry);
        }
    }

    void started(Attempt attempt) {
        LaneItem item = attempt.item;
        long ageMillis = Math.max(0, attempt.startedAtMillis - item.enqueuedAtMillis());
        if (item.attemptedBefore()) {
            ageOfRetry.get(item.lane()).record(ageMillis, TimeUnit.MILLISECONDS);
        } else {
            ageOfFirstAttempt.of(item.tenant()).get(item.lane()).record(ageMillis, TimeUnit.MILLISECONDS);
        }
    }

    void ended(AttemptEnd end) {
        handlerDuration.record(end.durationNanos(), TimeUnit.NANOSECONDS);
        handled.computeIfAbsent(outcomeOf(end.result()), outcome -> Counter.builder("spillway.handled")
                        .description("Attempts by what they came to")
                        .tag("outcome", outcome)
                        .register(registry))
                .increment();
    }

    void polled(Lane lane, boolean empty) {
        (empty ? pollsEmpty : pollsWithRecords).get(lane).increment();
    }

    void dropped(DropReason reason) {
        dropped.get(reason).increment();
    }

    void deadLettered(DeadReason reason) {
        deadLettered.get(reason).increment();
    }

    void moved(Lane to, LaneReason reason) {
        moved.computeIfAbsent(to.label() + "/" + reason.label(), key -> Counter.builder("spillway.moved")
                        .description("Items that the worker moved on unattempted")
                        .tag("lane", to.label())
                        .tag("reason", reason.label())
                        .register(registry))
                .increment();
    }

    void leasesEnded(int count) {
        leasesEnded.increment(count);
    }

    void transactionFailed() {
        transactionsFailed.increment();
    }

    /** Gives the names among the tenant series to the busiest. */
    void electTenants() {
        ageOfFirstAttempt.elect();
    }

    private static String outcomeOf(AttemptResult result) {
        return switch (result) {
            case AttemptResult.Succeeded succeeded -> "done";
            case AttemptResult.Failed failed -> "retry";
            case AttemptResult.FailedForGood dead -> "dead";
            case AttemptResult.TimedOut timedOut -> "timeout";
            case AttemptResult.Interrupted interrupted -> "interrupted";
        };
    }

    private Map<Lane, Timer> ageTimers(String tenant) {
        Map<Lane, Timer> timers = new EnumMap<>(Lane.class);
        for (Lane lane : LANES) {
            timers.put(lane, Timer.builder("spillway.age_of_first_attempt")
                    .description("Age of an item when it is attempted for the first time")
                    .tag("lane", lane.label())
                    .tag("tenant", tenant)
                    .serviceLevelObjectives(AGES)
                    .register(registry));
        }
        return timers;
    }

    private Counter polls(Lane lane, boolean empty) {
        return Counter.builder("spillway.polls")
                .description("Polls of a lane; none empty means no head room left")
                .tag("lane", lane.label())
                .tag("empty", Boolean.toString(empty))
                .register(registry);
    }
}
