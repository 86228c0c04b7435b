package io.spillway.worker;

import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptTimeouts.TenantStats;
import io.spillway.core.retry.DestinationHealth;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.view.StatusPublisher;
import io.spillway.kafka.view.TimeoutStatuses;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publisher of the durations and timeouts of this worker's busiest tenants, for {@code explain}: every 10 s if they
 * have changed, and once a minute.
 *
 * <p>Owner of its publisher. Bound: {@value TimeoutStatuses#MOST_TENANTS} tenants.
 */
final class TimeoutReporter implements AutoCloseable {
    static final long PERIOD_MILLIS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(TimeoutReporter.class);

    private final String worker;
    private final IntFunction<List<TenantStats>> busiest;
    private final InstantSource clock;
    private final TimeoutStatuses statuses;
    private final StatusPublisher publisher;
    private List<TenantStats> published = List.of();
    private long publishedAtMillis;

    /** Creates a reporter; the function returns the statistics of at most this number of tenants. */
    TimeoutReporter(
            StatusPublisher publisher, String worker, IntFunction<List<TenantStats>> busiest, InstantSource clock) {
        this.publisher = publisher;
        this.worker = worker;
        this.busiest = busiest;
        this.clock = clock;
        this.statuses = new TimeoutStatuses(clock);
        this.publishedAtMillis = clock.millis();
    }

    /** Returns the statistics of the tenants with the most attempts, with whether their destination is unavailable. */
    static List<TenantStats> busiest(
            int most, WorkerCore core, Function<String, TenantPolicy> policies, DestinationHealth health,
            long nowMillis) {
        Set<String> unavailable = health.unavailableTenants(nowMillis);
        return core.read(state -> state.timeouts().busiest(most, policies, nowMillis)).stream()
                .map(row -> new TenantStats(
                        row.tenant(), row.stats().withUnavailable(unavailable.contains(row.tenant()))))
                .toList();
    }

    void start(StartDelays delays) {
        publisher.start(this::report, delays, PERIOD_MILLIS, reason -> LOG.warn(
                "The timeouts of tenants cannot be published; it is retried every {} ms: {}", PERIOD_MILLIS, reason));
    }

    @Override
    public void close() {
        publisher.close();
    }

    /** Publishes what has changed, or the same again a minute after the last time. */
    void report() {
        List<TenantStats> now = busiest.apply(TimeoutStatuses.MOST_TENANTS);
        long nowMillis = clock.millis();
        if (now.equals(published)
                && (now.isEmpty() || nowMillis - publishedAtMillis < TimeoutStatuses.REPEAT_MILLIS)) {
            return;
        }
        publisher.publish(statuses.encode(worker, now));
        published = now;
        publishedAtMillis = nowMillis;
    }
}
