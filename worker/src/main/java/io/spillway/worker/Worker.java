package io.spillway.worker;

import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.core.engine.WorkerEngine;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Lane;
import io.spillway.core.overload.Fleet;
import io.spillway.core.overload.HandlingStats;
import io.spillway.core.overload.ProtectionSettings;
import io.spillway.core.retry.DestinationHealth;
import io.spillway.core.routing.ItemPlacement;
import io.spillway.core.text.Printable;
import io.spillway.handler.Handler;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.codec.LedgerWriter;
import io.spillway.kafka.periodic.ClockWatch;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.topics.InitialOffsets;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.DemandExchange;
import io.spillway.kafka.view.LoweredLimits;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.StatusPublisher;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.tracing.Tracing;
import io.spillway.worker.carriers.CarrierWatch;
import io.spillway.worker.group.WorkerPools;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Worker of a queue: started once, closed once. Owner of its threads and its clients, and not of the handler. */
public final class Worker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
    /** Of a record that is not committed yet. */
    private static final long NO_OFFSET = -1;
    private static final Duration NOT_READY_AFTER = Duration.ofSeconds(10);
    /**
     * Handler that hands items to consumers who ask for them. Attempts start only as far as items are asked for, so
     * that an item keeps waiting in its lane, at no cost and in its fair turn, until a consumer is there. What a call
     * returns counts even if it was interrupted meanwhile, because the consumer has been told so. A call that is
     * interrupted before its consumer has answered must throw.
     */
    public interface OnDemand extends Handler {
        /**
         * Returns the most calls of {@link #handle} that may run now, 0 or more, besides {@code worker.slots} and calls
         * for items suspected of crashing earlier workers. Called often, under a lock of the worker: it must neither
         * block nor call the worker.
         */
        int limit();

        /**
         * Sets what to run, without a lock of this handler, after {@link #limit} has grown. Called once, before the
         * first call of {@link #handle}.
         */
        void onDemand(Runnable grown);
    }

    private final WorkerSettings settings;
    private final LongSupplier nanoClock;
    private final StartDelays delays;
    private final String name;
    private final Topics topics;
    private final WorkerClients clients;
    private final Admin admin;
    private final QueueAdmin queues;
    private final InitialOffsets initialOffsets;
    private final WorkerCore core;
    private final AttemptRunner runner;
    private final boolean startsEarly;
    /** By number. */
    private final List<TopicPartition> hot;
    private final SameName sameName;
    private final Outage commitOutage;
    private final Outage pollOutage;
    private final CommitThread committer;
    private final PollThread poller;
    private final LaneMonitor monitor;
    private final ClockWatch clockWatch;
    private final CarrierWatch carriers = new CarrierWatch();
    private final LaneReporter reporter;
    private final AttemptReporter attemptReporter;
    private final TimeoutReporter timeoutReporter;
    private final DemandExchange<?> concurrency;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile boolean running;
    private volatile String failure = "";

    /**
     * Creates a worker.
     *
     * @param tenantSeries  maximum number of tenants with metric series of their own, 0 or more; the others share one
     * @param instance      name of this process, the same after a restart; {@code worker.id} takes precedence
     * @param delays        first delays of the periodic tasks of this process
     * @param handler       must not be closed before the worker
     * @param policies      view of the policies, already loaded
     * @param sweeps        view of the sweeps, already loaded
     * @param tracing       source of the spans of attempts
     * @param nanoClock     clock for durations
     * @param random        source of jitter
     */
    public Worker(
            QueueSettings queue, WorkerSettings settings, int tenantSeries, String instance, StartDelays delays,
            Handler handler, TenantPolicies policies, Sweeps sweeps, MeterRegistry registry, Tracing tracing,
            InstantSource clock, LongSupplier nanoClock, RandomGenerator random) {
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.delays = delays;
        this.name = settings.id().isEmpty() ? instance : settings.id();
        this.topics = new Topics(queue);
        KafkaClients kafka = new KafkaClients(queue);
        PlacementView shards = new PlacementView(queue, policies, new ShardAssignments());
        WorkerPools pools = new WorkerPools(settings.pool(), () -> shards.dedications().pools());
        this.clients = new WorkerClients(kafka, settings, pools, topics.workerGroup(), name, clock.millis(), registry);
        this.admin = kafka.admin();
        this.queues = new QueueAdmin(admin, kafka.commands());
        this.initialOffsets = new InitialOffsets(kafka, queues, topics, clock, WorkerException::new);
        DestinationHealth health = new DestinationHealth(DestinationHealth.MAX_TENANTS);
        WorkerMetrics metrics = new WorkerMetrics(registry, tenantSeries,
                tenant -> health.isTenantUnavailable(tenant, clock.millis()), settings.lateAfter(), clock);
        this.clockWatch = new ClockWatch("Worker", clock, nanoClock);
        // The limits of the dead-letter lane, because moves add headers to items that ingress accepted.
        ItemGate gate = new ItemGate(
                new ItemReader(ItemSchemas.load(), topics.deadLetterMaxBytes(), ItemLimits.MAX_LANE_HEADERS), policies,
                sweeps, item -> shards.isMisplaced(
                        item.tenant(), policies.of(item.tenant()), item.record().partition(), settings.pool()),
                clockWatch::aheadMillis);
        Fleet fleet = new Fleet(ProtectionSettings.OFF, topics.partitions());
        LoweredLimits limits = new LoweredLimits(() -> new TopicAdmin(admin).loweredLimits(topics.all()));
        WorkerEngine<LaneItem, Attempt> engine = new WorkerEngine<>(
                settings.dispatch(), health, settings.killerDeaths(), gate,
                Attempt.factory(clock, nanoClock, settings.leaseMax()), AttemptRunner.batchItems(handler));
        Outbox outbox = new Outbox(
                new LaneRecords(topics, limits, new ItemPlacement(fleet, shards), policies, clock), metrics,
                clock, name + "-" + clock.millis());
        this.core = new WorkerCore(gate, engine, outbox,
                handler instanceof OnDemand onDemand ? onDemand::limit : () -> Integer.MAX_VALUE,
                clock, nanoClock, random);
        HandlingStats stats = new HandlingStats(nanoClock.getAsLong());
        this.startsEarly = !(handler instanceof OnDemand);
        this.hot = IntStream.range(0, topics.partitions())
                .mapToObj(number -> new TopicPartition(topics.lane(Lane.HOT), number)).toList();
        this.runner = new AttemptRunner(handler, Drills.of(settings.drillKills(), clock), metrics, stats, core, tracing,
                topics.workerGroup(), nanoClock, this::fail);
        if (handler instanceof OnDemand onDemand) {
            onDemand.onDemand(() -> runner.run(core.receive(List.of())));
        }
        this.sameName = new SameName(name, () -> queues.members(topics.workerGroup(), clients.id()));
        this.commitOutage = new Outage(settings.kafkaTimeout(), nanoClock);
        this.pollOutage = new Outage(settings.kafkaTimeout(), nanoClock);
        WorkerTransactions transactions = new WorkerTransactions(
                clients::producer, partitions -> queues.committed(partitions, topics.workerGroup()),
                new LedgerWriter(topics), sameName, commitOutage, limits);
        this.committer = new CommitThread(
                core, runner, metrics, transactions, settings.commitInterval(), nanoClock, this::fail);
        this.poller = new PollThread(core, runner, committer, metrics, topics, settings.drainGrace(),
                clients::consumer, pools, new EarlyCommits(core, clients::reader), pollOutage, this::fail);
        this.monitor = new LaneMonitor(core, metrics, queues, kafka, topics, queue.shards().stuckAfter(),
                () -> {
                    health.prune(clock.millis());
                    limits.readAgain();
                    requireSlots();
                }, fleet, pools::handles, clock, nanoClock);
        this.reporter = new LaneReporter(
                new StatusPublisher(kafka, topics.laneState(), name), name,
                () -> stats.report(
                        settings.slots(), core.read(state -> state.waiting(Lane.HOT)),
                        LaneReporter.byLane(topics, core.partitions()), nanoClock.getAsLong())
                        .with(settings.pool(), monitor.use(settings.slots()), monitor.exchangeSuspects(name)), clock);
        this.attemptReporter = new AttemptReporter(
                new StatusPublisher(kafka, topics.attempts(), name), name, health::takeCounts, metrics.starts, clock);
        this.timeoutReporter = new TimeoutReporter(
                new StatusPublisher(kafka, topics.timeouts(), name), name,
                most -> TimeoutReporter.busiest(most, core, policies::ofMeasured, health, clock.millis()), clock);
        this.concurrency = DemandExchange.ofSlots(kafka, topics, name,
                shares -> core.read(state -> state.share(shares)), clock);
        metrics.watch(core, settings.slots(), () -> health.unavailable(clock.millis()), clock, nanoClock);
    }

    /**
     * Starts the worker and waits until it has joined its group. Without a partition, because there are more workers
     * than partitions, it idles until another one leaves.
     *
     * @throws WorkerException when it has not joined within the timeout, or the group has lost its offsets
     */
    public void start(Duration timeout) {
        initialOffsets.commitForWorkers();
        int dead = queues.removeMembers(topics.workerGroup(), clients.id());
        if (dead > 0) {
            LOG.info("An earlier process of worker {} has not left the group, and was removed from it", name);
        }
        running = true;
        concurrency.start(timeout, delays);
        monitor.start(timeout, delays);
        // Before it owns a partition, so that its suspects wait for its turn.
        monitor.exchangeSuspects(name);
        committer.start();
        runner.start();
        poller.start();
        clockWatch.start(delays);
        carriers.start();
        reporter.start(delays);
        attemptReporter.start(delays);
        timeoutReporter.start(delays);
        try {
            if (!poller.awaitJoined(timeout) || !running) {
                throw new WorkerException(
                        "The worker has not joined its group after " + timeout.toSeconds() + " s. See the log.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WorkerException("Interrupted while the worker started.");
        }
    }

    /**
     * Starts a fresh item of hot before the transaction is committed that moves it there, if this worker has its
     * partition and a slot for it now. What follows from the attempt waits for the commit; if the transaction is
     * aborted, nothing follows, and the item comes again. Never with a handler {@link OnDemand}, whose consumers would
     * be told too early that their answers count. Thread-safe.
     *
     * @param partition       of hot
     * @param timestampMillis of the record, epoch milliseconds
     * @param key             null for none
     * @param headers         as they will be read, not modified; copied
     * @return whether it has started; otherwise it starts after the commit
     */
    public boolean startEarly(int partition, long timestampMillis, byte[] key, byte[] value, Headers headers) {
        if (!startsEarly || !running) {
            return false;
        }
        List<Attempt> started = core.startEarly(hot.get(partition), () -> new ConsumerRecord<>(topics.lane(Lane.HOT),
                partition, NO_OFFSET, timestampMillis, TimestampType.CREATE_TIME, 0, 0, key, value,
                new RecordHeaders(headers), Optional.empty()));
        runner.run(started);
        return started.stream().anyMatch(attempt -> attempt.item.offset() == NO_OFFSET
                && attempt.item.record().value() == value);
    }

    /** Returns whether the worker runs: it was started, and neither closed nor ended by a failure. */
    public boolean isRunning() {
        return running;
    }

    /** Returns whether the worker runs, and its calls to Kafka have not failed for 10 s or longer. */
    public boolean isReady() {
        return running && !commitOutage.hasLasted(NOT_READY_AFTER) && !pollOutage.hasLasted(NOT_READY_AFTER);
    }

    /** Waits until the worker has ended, and returns the failure in one line, or nothing after {@link #close}. */
    public String awaitEnd() throws InterruptedException {
        ended.await();
        return failure;
    }

    /**
     * Leaves the group, waits for running handler calls within {@code worker.drainGrace} while others have the
     * partitions, and commits how they end.
     */
    @Override
    public void close() {
        running = false;
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        reporter.close();
        attemptReporter.close();
        timeoutReporter.close();
        long startNanos = nanoClock.getAsLong();
        poller.close();
        drain(settings.drainGrace().minusNanos(nanoClock.getAsLong() - startNanos));
        committer.close();
        runner.close();
        concurrency.close();
        monitor.close();
        clockWatch.close();
        carriers.close();
        clients.close();
        admin.close(Duration.ZERO);
        ended.countDown();
        LOG.info("Worker stopped");
    }

    /** Waits for attempts whose partitions others have, and tells the delay lane how they end. */
    private void drain(Duration grace) {
        int left = core.count(ClaimedAttempts::isWorthWaiting);
        if (left > 0) {
            LOG.info("Other workers have the partitions. {} running attempts have up to {} s to end; what goes on then"
                    + " is attempted again when its lease has ended", left, Math.max(0, grace.toSeconds()));
        }
        try {
            core.drain(Math.max(0, grace.toMillis()));
            committer.commitWhile(core::hasNotices, () -> {});
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("The ends of the last attempts are not recorded; their items are attempted again when their"
                    + " leases have ended");
        }
    }

    /** A new process has its slots again; the items of the attempts that hold them have ended. */
    private void requireSlots() {
        if (core.count(attempt -> attempt.isGivenUp() && !attempt.isRider()) >= settings.slots()) {
            fail(new WorkerException("As many attempts as worker.slots (" + settings.slots() + ") ignore their"
                    + " interrupt. Restart the worker, and repair the handler: its stuck dead letters name the items."));
        }
    }

    private void fail(Throwable cause) {
        boolean isKnown = cause instanceof WorkerException;
        if (running) {
            failure = Printable.of(isKnown ? cause.getMessage() : cause.toString());
            LOG.error("The worker ends{}: {}", isKnown ? ""
                    : " after a failure. Items without a commit are delivered again", failure, isKnown ? null : cause);
        }
        running = false;
        ended.countDown();
        // Routers must not send to it any more. Last, because an interrupted call of a handler cannot close a client.
        reporter.close();
    }
}
