package io.spillway.worker;

import io.spillway.core.engine.WorkerEngine;
import io.spillway.core.item.Lane;
import io.spillway.core.overload.ArrivalHistory;
import io.spillway.core.overload.Fleet;
import io.spillway.core.overload.LaneBacklogs;
import io.spillway.core.overload.LaneProgress;
import io.spillway.core.overload.PartitionBacklog;
import io.spillway.core.overload.SlotUse;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.SuspectStatus;
import io.spillway.core.text.Printable;
import io.spillway.kafka.periodic.PeriodicTask;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.CompactedView;
import io.spillway.kafka.view.LaneStates;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Periodic work of the worker: ends leases, measures the backlog of the lanes over all workers for the {@link Fleet},
 * and purges finished items.
 *
 * <p>Owner of its threads and of the view of the workers' reports.
 */
final class LaneMonitor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LaneMonitor.class);
    private static final long LEASE_PERIOD_MILLIS = 20;
    private static final long IDLE_LEASE_PERIOD_MILLIS = 100;
    private static final long BACKLOG_PERIOD_MILLIS = 1_000;
    /** Most measurements in succession that an idle worker leaves out while the lanes are empty. */
    private static final int MOST_LEFT_OUT = 4;
    private static final long WAITING_PERIOD_MILLIS = 1_000;
    private static final long PURGE_PERIOD_MILLIS = 10_000;

    private final WorkerCore core;
    private final WorkerMetrics metrics;
    private final QueueAdmin admin;
    private final Topics topics;
    private final Runnable housekeeping;
    private final Fleet fleet;
    private final IntPredicate isOfPool;
    private final LaneStates reports;
    private final CompactedView view;
    private final InstantSource clock;
    private final LongSupplier nanoClock;
    /** Used by the thread that measures. Bound: the owned partitions. */
    private final Map<TopicPartition, ArrivalHistory> arrivals = new HashMap<>();
    /** Used by the thread that measures: one for each lane. */
    private final Map<Lane, LaneProgress<ProgressState>> progress = new EnumMap<>(Lane.class);
    /** Used by the thread that measures, as the next two: items that waited at the last time. */
    private long lastBacklog;
    private long lastPosition;
    private int leftOut;
    /** Used by the thread that measures: a failure is logged once until the next success. */
    private boolean isBacklogKnown = true;
    private final ScheduledExecutorService leases =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("worker-leases").factory());
    private final ScheduledExecutorService lanes =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("worker-lanes").factory());

    /** @param isOfPool which partitions this worker's pool handles */
    LaneMonitor(
            WorkerCore core, WorkerMetrics metrics, QueueAdmin admin, KafkaClients clients, Topics topics,
            Duration stuckAfter, Runnable housekeeping, Fleet fleet, IntPredicate isOfPool, InstantSource clock,
            LongSupplier nanoClock) {
        this.core = core;
        this.metrics = metrics;
        this.admin = admin;
        this.topics = topics;
        this.housekeeping = housekeeping;
        this.fleet = fleet;
        this.isOfPool = isOfPool;
        this.reports = new LaneStates(clock);
        this.view = new CompactedView(
                clients, topics.laneState(), reports, LaneStates.MAX_WORKERS, Optional.empty(), clock);
        this.clock = clock;
        this.nanoClock = nanoClock;
        Lane.WORKED.forEach(lane -> progress.put(lane, LaneProgress.ofCommits(stuckAfter)));
    }

    /**
     * Starts, and returns when the workers' latest reports are read. The delays keep workers from measuring and purging
     * at the same time.
     */
    void start(Duration timeout, StartDelays delays) {
        view.start(timeout);
        scheduleLeases(delays.millis("worker-leases", LEASE_PERIOD_MILLIS));
        // Not on the thread that waits for Kafka: this figure must rise when everything else stalls.
        repeat(leases, "worker-waiting", WAITING_PERIOD_MILLIS, delays, () -> {
            metrics.waitingItems.measure(core.read(WorkerEngine::waitingSinceMillis));
            metrics.limitsAtCap(core.read(engine -> engine.dispatch().limitsAtCap()));
        });
        repeat(lanes, "worker-backlog", BACKLOG_PERIOD_MILLIS, delays, this::measureBacklog);
        repeat(lanes, "worker-purge", PURGE_PERIOD_MILLIS, delays, this::purge);
    }

    /** Lets this worker follow the suspects of the fleet; returns what to tell it of its own. */
    SuspectStatus exchangeSuspects(String self) {
        Map<String, SuspectStatus.Received> fleet = reports.suspects();
        return core.read(engine -> {
            engine.follow(self, fleet);
            return engine.suspectStatus(clock.millis());
        });
    }

    /** Returns what runs now. */
    SlotUse use(int slots) {
        return core.read(engine -> SlotUse.of(
                engine.attempts().stream().filter(attempt -> !attempt.isRider())
                        .map(attempt -> attempt.item.tenant()), slots));
    }

    private static void repeat(
            ScheduledExecutorService thread, String job, long everyMillis, StartDelays delays, Runnable task) {
        thread.scheduleWithFixedDelay(
                PeriodicTask.resilient(task, failure -> LOG.error("{} failed; it is repeated: {}", job, failure)),
                delays.millis(job, everyMillis), everyMillis, TimeUnit.MILLISECONDS);
    }

    private void scheduleLeases(long inMillis) {
        leases.schedule(() -> {
            try {
                metrics.leasesEnded(core.count(attempt -> attempt.interruptIfOverdue(nanoClock.getAsLong())));
            } catch (RuntimeException | Error e) {
                LOG.error("Leases that ended could not be ended; it is tried again", e);
            } finally {
                scheduleLeases(core.count(attempt -> true) > 0 ? LEASE_PERIOD_MILLIS : IDLE_LEASE_PERIOD_MILLIS);
            }
        }, inMillis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        leases.shutdownNow();
        lanes.shutdownNow();
        view.close();
    }

    private void measureBacklog() {
        long position = readPosition();
        boolean isIdle = position == lastPosition && core.count(attempt -> true) == 0
                && Lane.WORKED.stream().allMatch(lane -> core.read(engine -> engine.waiting(lane)) == 0);
        if (isIdle && lastBacklog == 0 && leftOut < MOST_LEFT_OUT) {
            leftOut++;
            return;
        }
        leftOut = 0;
        lastPosition = position;
        try {
            Map<Lane, List<QueueProgress>> read = admin.readLanes(topics);
            LaneBacklogs backlogs = LaneBacklogs.measured(lane -> measure(lane, read.get(lane)));
            lastBacklog = backlogs.total();
            // As one sender: what a worker moves mostly stays with it, and it has all of its own capacity.
            fleet.update(reports.reports(), backlogs, 1, clock.millis());
            core.caughtUp(fleet.isCaughtUp(isOfPool));
            isBacklogKnown = true;
        } catch (RuntimeException e) {
            if (isBacklogKnown) {
                LOG.warn("The backlog of the lanes cannot be read; it is retried every {} ms, and meanwhile"
                        + " worker.agedTrickle limits aged items: {}", BACKLOG_PERIOD_MILLIS,
                        Printable.of(e.getMessage()));
            }
            isBacklogKnown = false;
            lastBacklog = -1;
            core.caughtUp(false);
        }
    }

    /** Returns the sum of the read positions of the partitions: it changes when something is read. */
    private long readPosition() {
        return core.partitions().stream()
                .flatMap(partition -> core.owned(partition).stream())
                .mapToLong(owned -> core.read(engine -> owned.position()))
                .sum();
    }

    private void purge() {
        try {
            metrics.electTenants();
            housekeeping.run();
            admin.purgeFinished(admin.readLanes(topics).values().stream().flatMap(List::stream).toList());
        } catch (RuntimeException e) {
            LOG.warn("Finished items cannot be purged; the purge is retried in {} s: {}",
                    TimeUnit.MILLISECONDS.toSeconds(PURGE_PERIOD_MILLIS), Printable.of(e.getMessage()));
        }
    }

    private PartitionBacklog measure(Lane lane, List<QueueProgress> partitions) {
        PartitionBacklog backlog = progress.get(lane).next(
                partitions.stream().mapToLong(QueueProgress::waiting).toArray(),
                partitions.stream().map(QueueProgress::progress).toList(), nowMillis());
        metrics.depth(lane, backlog.total());
        metrics.waitingItems.unread(lane, partitions.stream().mapToLong(this::unreadMillis).max().orElse(0));
        return backlog;
    }

    /** Returns for how long a partition has certainly had a record that this worker must read and has not read. */
    private long unreadMillis(QueueProgress part) {
        Optional<OwnedPartition> owned = core.owned(part.partition());
        if (owned.isEmpty()) {
            arrivals.remove(part.partition());
            return 0;
        }
        long position = core.read(engine -> owned.get().position());
        return arrivals.computeIfAbsent(part.partition(), absent -> new ArrivalHistory()).waitedMillis(
                Math.max(position, part.from()), part.end(), nowMillis());
    }

    private long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong());
    }
}
