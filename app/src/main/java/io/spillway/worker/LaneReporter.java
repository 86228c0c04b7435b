package io.spillway.worker;

import io.spillway.policy.LaneReport;
import io.spillway.policy.Printable;
import io.spillway.topic.KafkaClients;
import io.spillway.topic.LaneStates;
import io.spillway.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the routers how hot is doing here: four times a second while anything happens, every two seconds otherwise. Outside the
 * worker's transactions, for it is of use at once or never.
 *
 * <p>Owner of its producer and its thread. What cannot be sent within two seconds is given up: the next is newer.
 */
final class LaneReporter implements AutoCloseable {
    static final long PERIOD_MILLIS = 250;
    static final int QUIET_PERIODS = 8;

    private static final Logger LOG = LoggerFactory.getLogger(LaneReporter.class);

    private final String topic;
    private final String worker;
    private final Supplier<LaneReport> pulse;
    private final LaneStates states;
    private final Producer<byte[], byte[]> producer;
    private final ScheduledExecutorService thread;
    private int quiet = QUIET_PERIODS;
    private boolean failed;

    LaneReporter(KafkaClients clients, Topics topics, String worker, Supplier<LaneReport> pulse, InstantSource clock) {
        this(topics, worker, pulse, clock, clients.producer(Map.of(
                ProducerConfig.LINGER_MS_CONFIG, "0",
                ProducerConfig.MAX_BLOCK_MS_CONFIG, "1000",
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, "2000",
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "2000")));
    }

    LaneReporter(
            Topics topics, String worker, Supplier<LaneReport> pulse, InstantSource clock, Producer<byte[], byte[]> producer) {
        this.topic = topics.laneState();
        this.worker = worker;
        this.pulse = pulse;
        this.states = new LaneStates(clock);
        this.producer = producer;
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
                producer.send(new ProducerRecord<>(topic, key(), null));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.debug("The routers notice by themselves that this worker ends: {}", Printable.of(e.getMessage()));
        }
        producer.close(Duration.ofMillis(500));
    }

    /** What is due at the end of a period: a report when something happened in it, or when long nothing was said. */
    void tell() {
        LaneReport report = pulse.get();
        boolean isQuiet = report.handledPerSecond() == 0 && report.waiting() == 0 && report.ageMillis() == 0;
        quiet = isQuiet ? quiet + 1 : 0;
        if (isQuiet && quiet % QUIET_PERIODS != 1) {
            return;
        }
        producer.send(new ProducerRecord<>(topic, key(), states.encode(worker, report)), (place, failure) -> {
            if (failure != null) {
                LOG.debug("State of hot not told: {}", Printable.of(failure.toString()));
            }
        });
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

    private byte[] key() {
        return worker.getBytes(StandardCharsets.UTF_8);
    }
}
