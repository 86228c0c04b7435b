package io.spillway.worker;

import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.retry.FirstStarts;
import io.spillway.kafka.codec.AttemptReports;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.view.StatusPublisher;
import java.time.InstantSource;
import java.util.List;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publisher of how this worker's attempts ended, for the routers' retry budgets, and of the items of which a delivery
 * has started: every 250 ms, if there is anything to report. It is outside the worker's transactions. A report that
 * cannot be sent is lost, and means fewer retries.
 *
 * <p>Owner of its publisher. Bound: about {@value #MOST_REPORTS} reports at a time; further counts wait for the next
 * time.
 */
final class AttemptReporter implements AutoCloseable {
    static final long PERIOD_MILLIS = 250;
    static final int MOST_REPORTS = 20;

    private static final Logger LOG = LoggerFactory.getLogger(AttemptReporter.class);

    private final StatusPublisher publisher;
    private final String worker;
    private final IntFunction<List<AttemptCounts>> counts;
    private final FirstStarts starts;
    private final InstantSource clock;
    private final AttemptReports reports = new AttemptReports();

    /**
     * Creates a reporter that {@link #start} starts.
     *
     * @param publisher taken over
     * @param counts    removes and returns about this number of counts
     */
    AttemptReporter(
            StatusPublisher publisher, String worker, IntFunction<List<AttemptCounts>> counts, FirstStarts starts,
            InstantSource clock) {
        this.publisher = publisher;
        this.worker = worker;
        this.counts = counts;
        this.starts = starts;
        this.clock = clock;
    }

    void start(StartDelays delays) {
        publisher.start(this::report, delays, PERIOD_MILLIS, reason -> LOG.warn(
                "Attempts cannot be reported, so there will be fewer retries; trying again: {}", reason));
    }

    @Override
    public void close() {
        publisher.close();
    }

    /** Publishes what has ended since the last time. */
    void report() {
        for (int i = 0; i < MOST_REPORTS; i++) {
            List<AttemptCounts> ended = counts.apply(AttemptReports.MOST_COUNTS);
            List<FirstStarts.Start> started = starts.take(AttemptReports.MOST_COUNTS);
            // There can be a few more than asked for.
            for (int from = 0; from < ended.size() || !started.isEmpty(); from += AttemptReports.MOST_COUNTS) {
                int to = Math.min(ended.size(), from + AttemptReports.MOST_COUNTS);
                AttemptReports.Report report = new AttemptReports.Report(ended.subList(from, to), started);
                publisher.publish(reports.encode(worker, report, clock.millis()));
                started = List.of();
            }
            if (ended.size() < AttemptReports.MOST_COUNTS) {
                return;
            }
        }
    }
}
