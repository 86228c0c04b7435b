package io.spillway.worker;

import io.spillway.core.item.Lane;
import io.spillway.core.item.Printable;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueuePartition;
import io.spillway.kafka.topics.Topics;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the worker does beside its work, on one thread: it ends leases, finds out whether the live lanes are caught up
 * over all workers, and purges what is finished.
 */
final class LaneMonitor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LaneMonitor.class);
    private static final long LEASES_EVERY_MILLIS = 20;
    private static final long LOOK_EVERY_MILLIS = 1_000;
    private static final long KEEP_HOUSE_EVERY_MILLIS = 10_000;

    private final WorkerCore core;
    private final WorkerMetrics metrics;
    private final QueueAdmin admin;
    private final Topics topics;
    private final Runnable housekeeping;
    /** With no more than this the live lanes are caught up: what is in flight counts as waiting until it is committed. */
    private final long mostWaiting;
    private final ScheduledExecutorService leases =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("worker-leases").factory());
    private final ScheduledExecutorService lanes =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("worker-lanes").factory());

    LaneMonitor(WorkerCore core, WorkerMetrics metrics, QueueAdmin admin, Topics topics, int slots, Runnable housekeeping) {
        this.core = core;
        this.metrics = metrics;
        this.admin = admin;
        this.topics = topics;
        this.housekeeping = housekeeping;
        this.mostWaiting = 4L * slots;
    }

    /** Starts; the beat of the slow work is put off by a part of its period that comes from the worker's name. */
    void start(String worker) {
        leases.scheduleWithFixedDelay(() -> metrics.leasesEnded(core.endLeases()),
                LEASES_EVERY_MILLIS, LEASES_EVERY_MILLIS, TimeUnit.MILLISECONDS);
        lanes.scheduleWithFixedDelay(this::look, 0, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
        lanes.scheduleWithFixedDelay(this::keepHouse,
                Math.floorMod(worker.hashCode(), KEEP_HOUSE_EVERY_MILLIS), KEEP_HOUSE_EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        leases.shutdownNow();
        lanes.shutdownNow();
    }

    private void look() {
        try {
            core.caughtUp(measure(Lane.HOT) + measure(Lane.OVERFLOW) <= mostWaiting);
        } catch (RuntimeException e) {
            LOG.warn("The lanes cannot be looked at, aged work goes on at its trickle: {}", Printable.of(e.getMessage()));
            core.caughtUp(false);
        }
    }

    private void keepHouse() {
        try {
            metrics.electTenants();
            housekeeping.run();
            for (Lane lane : new Lane[] {Lane.HOT, Lane.OVERFLOW, Lane.AGED}) {
                List<QueuePartition> parts = admin.read(topics.lane(lane), topics.workerGroup());
                measure(lane, parts);
                admin.purgeFinished(parts);
            }
        } catch (RuntimeException e) {
            LOG.warn("Finished items are not purged yet: {}", Printable.of(e.getMessage()));
        }
    }

    private long measure(Lane lane) {
        return measure(lane, admin.read(topics.lane(lane), topics.workerGroup()));
    }

    private long measure(Lane lane, List<QueuePartition> parts) {
        long waiting = parts.stream().mapToLong(QueuePartition::waiting).sum();
        metrics.depth(lane, waiting);
        return waiting;
    }
}
