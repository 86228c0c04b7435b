package io.spillway.router.feedback;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.LaneBacklogs;
import io.spillway.core.overload.PartitionBacklog;
import io.spillway.core.overload.ProgressCheck;
import io.spillway.core.progress.ProgressState;
import io.spillway.kafka.topics.PeriodicTask;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.StartDelays;
import io.spillway.kafka.topics.Topics;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reader of the backlogs of all partitions that workers work on, about once a second, from the workers' commits.
 *
 * <p>Where no worker ever ran, the backlog is the number of records, and all partitions are equally stuck. If Kafka
 * does not answer, the last backlogs stay in use and items sent since are added to them, so selection still spreads
 * items.
 *
 * <p>Owner of the state of the lanes: its thread. Bound: one commit per partition.
 */
public final class WorkReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WorkReader.class);
    private static final long PERIOD_MILLIS = 1_000;
    /** Most measurements in succession that are left out while nothing is routed and the lanes are empty. */
    private static final int MOST_LEFT_OUT = 4;

    private final Function<Lane, List<QueueProgress>> progress;
    private final LongSupplier commits;
    private final long stuckAfterMillis;
    private final LongSupplier nanoClock;
    private final LaneProgress hot = new LaneProgress();
    private final LaneProgress overflow = new LaneProgress();
    private final LaneProgress aged = new LaneProgress();
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
        this(lane -> admin.readProgress(topics.lane(lane), topics.workerGroup(), false), commits, stuckAfter,
                nanoClock);
    }

    /** Creates a reader with a source of each lane's progress, which may throw. */
    WorkReader(
            Function<Lane, List<QueueProgress>> progress, LongSupplier commits, Duration stuckAfter,
            LongSupplier nanoClock) {
        this.progress = progress;
        this.commits = commits;
        this.stuckAfterMillis = stuckAfter.toMillis();
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
        latest = new LaneBacklogs(next(hot, Lane.HOT), next(overflow, Lane.OVERFLOW), next(aged, Lane.AGED));
        wasEmpty = latest.hot().total() + latest.overflow().total() + latest.aged().total() == 0;
    }

    private PartitionBacklog next(LaneProgress lane, Lane name) {
        List<QueueProgress> measured = progress.apply(name);
        return lane.next(measured, TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong()), stuckAfterMillis);
    }

    /** Progress of one lane from one measurement to the next. */
    static final class LaneProgress {
        private PartitionBacklog backlog = PartitionBacklog.unknown(0);
        /** Each partition's commit at its last progress. */
        private ProgressState[] lastProgress = {};
        private long[] progressCounts = {};

        /** Returns the backlogs after another measurement, which has one entry per partition. */
        PartitionBacklog next(List<QueueProgress> measured, long nowMillis, long stuckAfterMillis) {
            if (lastProgress.length != measured.size()) {
                lastProgress = new ProgressState[measured.size()];
                progressCounts = new long[measured.size()];
            }
            long[] waiting = new long[measured.size()];
            for (int i = 0; i < waiting.length; i++) {
                QueueProgress now = measured.get(i);
                waiting[i] = now.waiting();
                if (lastProgress[i] == null || waiting[i] == 0
                        || ProgressCheck.isMade(lastProgress[i], now.progress())) {
                    lastProgress[i] = now.progress();
                    progressCounts[i]++;
                }
            }
            backlog = backlog.next(waiting, progressCounts, nowMillis, stuckAfterMillis);
            return backlog;
        }
    }
}
