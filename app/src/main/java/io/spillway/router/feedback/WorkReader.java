package io.spillway.router.feedback;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.core.item.Lane;
import io.spillway.core.item.Printable;
import io.spillway.core.overload.PartitionBacklog;
import io.spillway.core.overload.ProgressCheck;
import io.spillway.core.progress.ProgressState;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.Topics;
import io.spillway.router.route.LaneBacklogs;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads about once a second what waits in each partition of hot and overflow, from what the workers commit, on one thread of
 * its own. The first run is put off by a part of the period that comes from the instance's name, so that instances started
 * together do not ask together.
 *
 * <p>Where no worker has ever been, what lies there is what waits, and all partitions look equally stuck, which is as if none
 * did. When Kafka does not answer, the last reading stays: what is sent is added to it, so that the choice goes on taking turns.
 *
 * <p>Owner of what it remembers of the last readings: its thread. Bound: one commit for each partition.
 */
public final class WorkReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WorkReader.class);
    private static final long PERIOD_MILLIS = 1_000;

    private final QueueAdmin admin;
    private final Topics topics;
    private final long stuckAfterMillis;
    private final InstantSource clock;
    private final LaneReading hot = new LaneReading();
    private final LaneReading overflow = new LaneReading();
    private final ScheduledExecutorService thread;
    private volatile LaneBacklogs latest = LaneBacklogs.UNKNOWN;
    private boolean failed;

    public WorkReader(QueueAdmin admin, Topics topics, Duration stuckAfter, InstantSource clock) {
        this.admin = admin;
        this.topics = topics;
        this.stuckAfterMillis = stuckAfter.toMillis();
        this.clock = clock;
        this.thread = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("router-waiting-work").factory());
    }

    /** How many partitions of each lane that is read are passed over as stuck. */
    public void bindTo(MeterRegistry registry) {
        for (Lane lane : List.of(Lane.HOT, Lane.OVERFLOW)) {
            Gauge.builder("spillway.lane.stuck_partitions", this, reader -> reader.latest.of(lane).stuckPartitions())
                    .description("Partitions with work of which nothing was finished for shards.stuckAfter")
                    .tag("lane", lane.label())
                    .register(registry);
        }
    }

    public void start(String instance) {
        thread.scheduleWithFixedDelay(
                this::readSafely, Math.floorMod(instance.hashCode(), PERIOD_MILLIS), PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** The last reading, never null. */
    public LaneBacklogs latest() {
        return latest;
    }

    @Override
    public void close() {
        thread.shutdownNow();
        try {
            if (!thread.awaitTermination(2, TimeUnit.SECONDS)) {
                LOG.debug("Waiting work is still being read");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One failure must not end the periodic work. */
    private void readSafely() {
        try {
            latest = new LaneBacklogs(
                    hot.next(progress(Lane.HOT), clock.millis(), stuckAfterMillis),
                    overflow.next(progress(Lane.OVERFLOW), clock.millis(), stuckAfterMillis));
            failed = false;
        } catch (RuntimeException e) {
            if (!failed && !thread.isShutdown()) {
                LOG.warn("Waiting work cannot be read; items go by the last reading: {}", Printable.of(e.getMessage()));
            }
            failed = true;
        }
    }

    private List<QueueProgress> progress(Lane lane) {
        return admin.readProgress(topics.lane(lane), topics.workerGroup(), false);
    }

    /** What is remembered of one lane from reading to reading. */
    static final class LaneReading {
        private PartitionBacklog work = PartitionBacklog.unknown(0);
        /** Of each partition, the commit at which it was last seen to finish something. */
        private ProgressState[] lastHeadway = {};
        private long[] headways = {};

        /** What is known with this reading, by partition. */
        PartitionBacklog next(List<QueueProgress> reading, long nowMillis, long stuckAfterMillis) {
            if (lastHeadway.length != reading.size()) {
                lastHeadway = new ProgressState[reading.size()];
                headways = new long[reading.size()];
            }
            long[] waiting = new long[reading.size()];
            for (int i = 0; i < waiting.length; i++) {
                QueueProgress now = reading.get(i);
                waiting[i] = now.waiting();
                if (lastHeadway[i] == null || waiting[i] == 0 || ProgressCheck.isMade(lastHeadway[i], now.progress())) {
                    lastHeadway[i] = now.progress();
                    headways[i]++;
                }
            }
            work = work.next(waiting, headways, nowMillis, stuckAfterMillis);
            return work;
        }
    }
}
