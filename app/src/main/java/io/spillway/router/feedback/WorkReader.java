package io.spillway.router.feedback;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.LaneBacklogs;
import io.spillway.core.overload.LaneProgress;
import io.spillway.core.overload.PartitionBacklog;
import io.spillway.core.progress.ProgressState;
import io.spillway.kafka.periodic.PeriodicTask;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.Topics;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reader of the backlogs of all partitions that workers work on, about once a second, from the workers' commits.
 *
 * <p>Where no worker ever ran, the backlog is the number of records, and all partitions are equally stuck. If Kafka
 * does not answer, the last backlogs stay in use and items sent since are added to them, so selection still spreads
 * items.
 *
 * <p>Owner of the state of the lanes: its thread.
 */
public final class WorkReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WorkReader.class);
    private static final long PERIOD_MILLIS = 1_000;
    /** Most measurements in succession that are left out while nothing is routed and the lanes are empty. */
    private static final int MOST_LEFT_OUT = 4;

    private final Supplier<Map<Lane, List<QueueProgress>>> progress;
    private final LongSupplier commits;
    private final LongSupplier nanoClock;
    private final Map<Lane, LaneProgress<ProgressState>> lanes = new EnumMap<>(Lane.class);
    private final PeriodicTask task;
    private volatile LaneBacklogs latest = LaneBacklogs.UNKNOWN;
    private boolean wasEmpty;
    private long lastCommits;
    private int leftOut;

    /**
     * Creates a reader for {@link #start}.
     *
     * @param commits   number of transactions by which this process moved items
     * @param nanoClock monotonic, so a step of the clock is no stall
     */
    public WorkReader(
            QueueAdmin admin, Topics topics, LongSupplier commits, Duration stuckAfter, LongSupplier nanoClock) {
        this(() -> admin.readLanes(topics), commits, stuckAfter, nanoClock);
    }

    /** Creates a reader with a source of the lanes' progress, which may throw. */
    WorkReader(
            Supplier<Map<Lane, List<QueueProgress>>> progress, LongSupplier commits, Duration stuckAfter,
            LongSupplier nanoClock) {
        this.progress = progress;
        this.commits = commits;
        Lane.WORKED.forEach(lane -> lanes.put(lane, LaneProgress.ofCommits(stuckAfter)));
        this.nanoClock = nanoClock;
        this.task = new PeriodicTask("router-waiting-work", this::read, failure ->
                LOG.warn("Backlogs cannot be read; partitions are selected by the last ones: {}", failure));
    }

    public void start(StartDelays delays) {
        task.start(delays, PERIOD_MILLIS);
    }

    /** Returns the latest backlogs, never null. */
    public LaneBacklogs latest() {
        return latest;
    }

    @Override
    public void close() {
        task.close();
    }

    /** Reads the lanes once, unless all were empty and this process has moved nothing since. */
    void read() {
        long moved = commits.getAsLong();
        if (wasEmpty && moved == lastCommits && leftOut < MOST_LEFT_OUT) {
            leftOut++;
            return;
        }
        leftOut = 0;
        lastCommits = moved;
        wasEmpty = false;
        Map<Lane, List<QueueProgress>> read = progress.get();
        latest = LaneBacklogs.measured(lane -> next(lane, read.get(lane)));
        wasEmpty = latest.total() == 0;
    }

    private PartitionBacklog next(Lane lane, List<QueueProgress> measured) {
        return lanes.get(lane).next(measured.stream().mapToLong(QueueProgress::waiting).toArray(),
                measured.stream().map(QueueProgress::progress).toList(),
                TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong()));
    }
}
