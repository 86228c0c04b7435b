package io.spillway.worker;

import io.spillway.core.item.Printable;
import io.spillway.core.overload.LaneReport;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.LaneStates;
import io.spillway.kafka.view.StatusPublisher;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publisher of this worker's load on the hot lane, for the routers: every 250 ms under load, every 2 s otherwise. It is
 * outside the worker's transactions, because an old report is useless.
 *
 * <p>Owner of its publisher and its thread.
 */
final class LaneReporter implements AutoCloseable {
    static final long PERIOD_MILLIS = 250;
    static final int IDLE_PERIODS = 8;

    private static final Logger LOG = LoggerFactory.getLogger(LaneReporter.class);

    private final String worker;
    private final Supplier<LaneReport> load;
    private final LaneStates states;
    private final StatusPublisher publisher;
    private final ScheduledExecutorService thread;
    private int idlePeriods = IDLE_PERIODS;
    private boolean failed;

    LaneReporter(KafkaClients clients, Topics topics, String worker, Supplier<LaneReport> load, InstantSource clock) {
        this(new StatusPublisher(clients, topics.laneState(), worker), worker, load, clock);
    }

    LaneReporter(StatusPublisher publisher, String worker, Supplier<LaneReport> load, InstantSource clock) {
        this.publisher = publisher;
        this.worker = worker;
        this.load = load;
        this.states = new LaneStates(clock);
        this.thread = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("worker-lane-state").factory());
    }

    void start() {
        thread.scheduleAtFixedRate(this::reportSafely, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        thread.shutdownNow();
        try {
            if (thread.awaitTermination(2, TimeUnit.SECONDS)) {
                // The routers then need not wait for the report to expire.
                publisher.takeBack();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        publisher.close();
    }

    /** Publishes a report at the end of a period with load, and once in {@link #IDLE_PERIODS} periods without. */
    void report() {
        LaneReport report = load.get();
        boolean isIdle = report.handledPerSecond() == 0 && report.waiting() == 0 && report.ageMillis() == 0;
        idlePeriods = isIdle ? idlePeriods + 1 : 0;
        if (isIdle && idlePeriods % IDLE_PERIODS != 1) {
            return;
        }
        publisher.say(states.encode(worker, report));
    }

    /** An exception would end the periodic task. */
    private void reportSafely() {
        try {
            report();
            failed = false;
        } catch (RuntimeException e) {
            if (!failed && !thread.isShutdown()) {
                LOG.warn("The load on the hot lane cannot be published; it is retried every {} ms: {}",
                        PERIOD_MILLIS, Printable.of(e.getMessage()));
            }
            failed = true;
        }
    }
}
