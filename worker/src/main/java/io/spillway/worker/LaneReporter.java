package io.spillway.worker;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.WorkerReport;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.LaneStates;
import io.spillway.kafka.view.StatusPublisher;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publisher of this worker's load, for routers and workers: every 250 ms under load, with suspects and when its
 * partitions have changed, every 2 s otherwise. It is outside the worker's transactions, because an old report is
 * useless.
 *
 * <p>Owner of its publisher.
 */
final class LaneReporter implements AutoCloseable {
    static final long PERIOD_MILLIS = 250;
    static final int IDLE_PERIODS = 8;

    private static final Logger LOG = LoggerFactory.getLogger(LaneReporter.class);

    private final String worker;
    private final Supplier<WorkerReport> load;
    private final LaneStates states;
    private final StatusPublisher publisher;
    /** Used by the publisher's thread. */
    private Optional<WorkerReport> last = Optional.empty();

    LaneReporter(StatusPublisher publisher, String worker, Supplier<WorkerReport> load, InstantSource clock) {
        this.publisher = publisher;
        this.worker = worker;
        this.load = load;
        this.states = new LaneStates(clock);
    }

    /** Returns the numbers of partitions by lane. */
    static Map<Lane, Set<Integer>> byLane(Topics topics, Set<TopicPartition> partitions) {
        return Lane.WORKED.stream().collect(Collectors.toUnmodifiableMap(Function.identity(), lane -> partitions
                .stream().filter(partition -> partition.topic().equals(topics.lane(lane)))
                .map(TopicPartition::partition)
                .collect(Collectors.toUnmodifiableSet())));
    }

    void start(StartDelays delays) {
        publisher.start(this::report, delays, PERIOD_MILLIS, reason -> LOG.warn(
                "The load of this worker cannot be published; it is retried every {} ms: {}", PERIOD_MILLIS, reason));
    }

    @Override
    public void close() {
        publisher.close();
    }

    /** Publishes a report at the end of a period with load, and once in {@link #IDLE_PERIODS} periods without. */
    void report() {
        WorkerReport report = load.get();
        boolean isIdle = report.handledPerSecond() == 0 && report.waiting() == 0 && report.ageMillis() == 0
                && report.use().running() == 0
                && report.suspects().sinceMillis() == 0
                && last.map(before -> before.owned().equals(report.owned())
                        && before.suspects().equals(report.suspects())).orElse(true);
        last = Optional.of(report);
        publisher.publish(isIdle, IDLE_PERIODS, () -> states.encode(worker, report));
    }
}
