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
 * Tells the routers how hot is doing here: four times a second while anything happens, every two seconds otherwise. Outside the
 * worker's transactions, for it is of use at once or never.
 *
 * <p>Owner of its announcer and its thread.
 */
final class LaneReporter implements AutoCloseable {
    static final long PERIOD_MILLIS = 250;
    static final int QUIET_PERIODS = 8;

    private static final Logger LOG = LoggerFactory.getLogger(LaneReporter.class);

    private final String worker;
    private final Supplier<LaneReport> pulse;
    private final LaneStates states;
    private final StatusPublisher announcer;
    private final ScheduledExecutorService thread;
    private int quiet = QUIET_PERIODS;
    private boolean failed;

    LaneReporter(KafkaClients clients, Topics topics, String worker, Supplier<LaneReport> pulse, InstantSource clock) {
        this(new StatusPublisher(clients, topics.laneState(), worker), worker, pulse, clock);
    }

    LaneReporter(StatusPublisher announcer, String worker, Supplier<LaneReport> pulse, InstantSource clock) {
        this.announcer = announcer;
        this.worker = worker;
        this.pulse = pulse;
        this.states = new LaneStates(clock);
        this.thread = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("worker-lane-state").factory());
    }

    void start() {
        thread.scheduleAtFixedRate(this::tellSafely, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        thread.shutdownNow();
        try {
            if (thread.awaitTermination(2, TimeUnit.SECONDS)) {
                // The routers need not wait to see that it is gone.
                announcer.takeBack();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        announcer.close();
    }

    /** What is due at the end of a period: a report when something happened in it, or when long nothing was said. */
    void tell() {
        LaneReport report = pulse.get();
        boolean isQuiet = report.handledPerSecond() == 0 && report.waiting() == 0 && report.ageMillis() == 0;
        quiet = isQuiet ? quiet + 1 : 0;
        if (isQuiet && quiet % QUIET_PERIODS != 1) {
            return;
        }
        announcer.say(states.encode(worker, report));
    }

    /** One failure must not end the periodic work. */
    private void tellSafely() {
        try {
            tell();
            failed = false;
        } catch (RuntimeException e) {
            if (!failed && !thread.isShutdown()) {
                LOG.warn("The routers cannot be told how hot is doing: {}", Printable.of(e.getMessage()));
            }
            failed = true;
        }
    }
}
