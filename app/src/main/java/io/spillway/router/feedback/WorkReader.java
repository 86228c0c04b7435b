package io.spillway.router.feedback;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.core.item.Lane;
import io.spillway.core.overload.PartitionBacklog;
import io.spillway.core.overload.ProgressCheck;
import io.spillway.core.progress.ProgressState;
import io.spillway.kafka.topics.PeriodicTask;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.StartDelays;
import io.spillway.kafka.topics.Topics;
import io.spillway.router.route.LaneBacklogs;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reader of the backlogs of all hot and overflow partitions, about once a second, from the workers' commits.
 *
 * <p>Where no worker ever ran, the backlog is the number of records, and all partitions are equally stuck. If Kafka
 * does not answer, the last backlogs stay in use and items sent since are added to them, so selection still spreads
 * items.
 *
 * <p>Owner of the state of both lanes: its thread. Bound: one commit per partition.
 */
public final class WorkReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WorkReader.class);
    private static final long PERIOD_MILLIS = 1_000;

    private final QueueAdmin admin;
    private final Topics topics;
    private final long stuckAfterMillis;
    private final InstantSource clock;
    private final LaneProgress hot = new LaneProgress();
    private final LaneProgress overflow = new LaneProgress();
    private final PeriodicTask task;
    private volatile LaneBacklogs latest = LaneBacklogs.UNKNOWN;

    public WorkReader(
            QueueAdmin admin, Topics topics, Duration stuckAfter, InstantSource clock, MeterRegistry registry) {
        this.admin = admin;
        this.topics = topics;
        this.stuckAfterMillis = stuckAfter.toMillis();
        this.clock = clock;
        this.task = new PeriodicTask("router-waiting-work", this::read, failure ->
                LOG.warn("Backlogs cannot be read; partitions are selected by the last ones: {}", failure));
        for (Lane lane : List.of(Lane.HOT, Lane.OVERFLOW)) {
            Gauge.builder("spillway.lane.stuck_partitions", this, reader -> reader.latest.of(lane).stuckPartitions())
                    .description("Partitions with waiting items and none finished for shards.stuckAfter")
                    .tag("lane", lane.label())
                    .register(registry);
        }
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

    private void read() {
        latest = new LaneBacklogs(
                hot.next(progress(Lane.HOT), clock.millis(), stuckAfterMillis),
                overflow.next(progress(Lane.OVERFLOW), clock.millis(), stuckAfterMillis));
    }

    private List<QueueProgress> progress(Lane lane) {
        return admin.readProgress(topics.lane(lane), topics.workerGroup(), false);
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
