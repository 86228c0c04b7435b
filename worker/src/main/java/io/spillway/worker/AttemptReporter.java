package io.spillway.worker;

import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.AttemptReports;
import io.spillway.kafka.periodic.PeriodicTask;
import io.spillway.kafka.periodic.StartDelays;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publisher of how this worker's attempts ended, for the routers' retry budgets: every 250 ms, if there is anything to
 * report. It is outside the worker's transactions. A report that cannot be sent is lost, and means fewer retries.
 *
 * <p>Owner of its producer and its thread. Bound: about {@value #MOST_REPORTS} reports at a time; further counts wait
 * for the next time.
 */
final class AttemptReporter implements AutoCloseable {
    static final long PERIOD_MILLIS = 250;
    static final int MOST_REPORTS = 20;

    private static final Logger LOG = LoggerFactory.getLogger(AttemptReporter.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);

    private final Producer<byte[], byte[]> producer;
    private final String topic;
    private final String worker;
    private final IntFunction<List<AttemptCounts>> counts;
    private final InstantSource clock;
    private final AttemptReports reports = new AttemptReports();
    private final PeriodicTask task;

    /**
     * Creates a reporter that {@link #start} starts.
     *
     * @param producer taken over
     * @param counts   removes and returns about this number of counts
     */
    AttemptReporter(
            Producer<byte[], byte[]> producer, String topic, String worker, IntFunction<List<AttemptCounts>> counts,
            InstantSource clock) {
        this.producer = producer;
        this.topic = topic;
        this.worker = worker;
        this.counts = counts;
        this.clock = clock;
        this.task = new PeriodicTask("worker-attempts", this::report, reason -> LOG.warn(
                "Attempts cannot be reported, so there will be fewer retries; trying again: {}", reason));
    }

    void start(StartDelays delays) {
        task.start(delays, PERIOD_MILLIS);
    }

    @Override
    public void close() {
        task.close();
        producer.close(CLOSE_TIMEOUT);
    }

    /** Publishes what has ended since the last time. */
    void report() {
        for (int i = 0; i < MOST_REPORTS; i++) {
            List<AttemptCounts> ended = counts.apply(AttemptReports.MOST_COUNTS);
            // There can be a few more than asked for.
            for (int from = 0; from < ended.size(); from += AttemptReports.MOST_COUNTS) {
                int to = Math.min(ended.size(), from + AttemptReports.MOST_COUNTS);
                publish(reports.encode(worker, ended.subList(from, to), clock.millis()));
            }
            if (ended.size() < AttemptReports.MOST_COUNTS) {
                return;
            }
        }
    }

    private void publish(byte[] report) {
        byte[] key = worker.getBytes(StandardCharsets.UTF_8);
        producer.send(new ProducerRecord<>(topic, key, report), (metadata, failure) -> {
            if (failure != null) {
                LOG.debug("Cannot report attempts to {}: {}", topic, Printable.of(failure.toString()));
            }
        });
    }
}
