package io.spillway.worker;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.kafka.KafkaClientMetrics;
import io.spillway.core.engine.WorkerEngine;
import io.spillway.core.item.Lane;
import io.spillway.core.item.Printable;
import io.spillway.core.overload.HandlingStats;
import io.spillway.core.retry.RetryBudget;
import io.spillway.core.retry.RetryBudgets;
import io.spillway.core.scheduling.DispatchSettings;
import io.spillway.handler.Handler;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.codec.LedgerWriter;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The worker as a running thing: started once, closed once. Owner of its threads, its clients and the handler. */
public final class Worker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
    private static final long HOT_BUFFER_MILLIS = 100;
    /**
     * A consumer has one fetch under way at a broker, and partitions that were paused or not yet used up when it was
     * sent are not in it: they wait for its end, with the client's default half a second for each empty lane.
     */
    private static final int FETCH_WAIT_MILLIS = 10;
    /** What a fetch brings of one partition stands in front of what it brings of the next. */
    private static final int PARTITION_FETCH_BYTES = 256 * 1024;
    private static final boolean ADAPTIVE = true;

    private final WorkerSettings settings;
    private final String name;
    private final Topics topics;
    private final Handler handler;
    private final Admin admin;
    private final WorkerCore core;
    private final CommitThread committer;
    private final PollThread poller;
    private final LaneMonitor watch;
    private final LaneReporter reporter;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicBoolean closing = new AtomicBoolean();
    /** By client, since the producer may be replaced; owned by the thread that makes clients, then by {@link #close}. */
    private final Map<String, KafkaClientMetrics> clientMetrics = new ConcurrentHashMap<>();
    private volatile boolean running;

    /**
     * Makes a worker that {@link #start} brings to life.
     *
     * @param queue         the cluster, its topics and shards
     * @param settings      of the worker
     * @param tenantSeries  most tenants with metric series of their own, 0 or more; the others share one
     * @param instance      name of this process, the same after a restart; {@code worker.id} wins over it
     * @param handler       what to do with items; closed by {@link #close}
     * @param policies      the view of the policies, already filled
     * @param sweeps        the view of the sweeps, already filled
     * @param registry      where its metrics go
     * @param clock         now
     * @param nanoClock     for durations
     * @param random        for jitter
     */
    public Worker(
            QueueSettings queue,
            WorkerSettings settings,
            int tenantSeries,
            String instance,
            Handler handler,
            TenantPolicies policies,
            Sweeps sweeps,
            MeterRegistry registry,
            InstantSource clock,
            LongSupplier nanoClock,
            RandomGenerator random) {
        this.settings = settings;
        this.name = settings.id().isEmpty() ? instance : settings.id();
        this.topics = new Topics(queue);
        this.handler = handler;
        KafkaClients clients = new KafkaClients(queue);
        this.admin = clients.admin();
        RetryBudgets budgets = new RetryBudgets(WorkerEngine.MAX_BUDGETS, RetryBudget.Settings.DEFAULT);
        WorkerMetrics metrics = new WorkerMetrics(registry, tenantSeries, handler.fansOut(),
                tenant -> budgets.tokens(tenant, WorkerEngine.DESTINATION));
        // Everything was checked when it came in; what was moved since carries our headers on top.
        ItemGate gate = new ItemGate(new ItemReader(ItemSchemas.load(), topics.deadLetterMaxBytes()), policies, sweeps);
        DispatchSettings dispatch = new DispatchSettings(
                settings.slots(), settings.reserve(), settings.agedTrickle(), settings.readAheadItems(),
                settings.readAheadBytes(), HOT_BUFFER_MILLIS, ADAPTIVE);
        WorkerEffects effects =
                new WorkerEffects(new LaneRecords(topics), metrics, clock, settings.leaseMax().toMillis());
        WorkerEngine<LaneItem, Attempt> engine =
                new WorkerEngine<>(dispatch, budgets, settings.killerDeaths(), gate, effects);
        this.core = new WorkerCore(gate, engine, effects, clock, nanoClock, random);
        HandlingStats pulse = new HandlingStats(nanoClock.getAsLong());
        AttemptRunner runner = new AttemptRunner(handler, metrics, pulse, core, nanoClock, this::died);
        this.committer = new CommitThread(
                core, runner, metrics, () -> producer(clients, registry), new LedgerWriter(topics),
                settings.commitInterval().toMillis(),
                this::died);
        this.poller = new PollThread(
                core, runner, committer, metrics, topics, settings.drainGrace(), () -> consumer(clients, registry),
                nanoClock, this::died);
        this.watch = new LaneMonitor(core, metrics, new QueueAdmin(admin), topics, settings.slots(),
                () -> budgets.prune(clock.millis()));
        this.reporter = new LaneReporter(clients, topics, name,
                () -> pulse.report(settings.slots(), core.waiting(Lane.HOT), nanoClock.getAsLong()), clock);
        metrics.watch(core, settings.slots());
    }

    /**
     * Starts, and returns when it is a member of the group.
     *
     * @throws WorkerException when it is not within this time
     */
    public void start(Duration timeout) {
        FirstLaneOffsets.commit(new QueueAdmin(admin), topics.workerGroup(),
                List.of(topics.lane(Lane.HOT), topics.lane(Lane.OVERFLOW), topics.lane(Lane.AGED)));
        committer.start();
        poller.start();
        watch.start(name);
        reporter.start();
        running = true;
        try {
            if (!poller.awaitJoined(timeout) || !running) {
                throw new WorkerException("the worker has no partitions after " + timeout.toSeconds() + " s; the log says why");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WorkerException("interrupted while the worker started");
        }
    }

    /** Whether it takes items. */
    public boolean isRunning() {
        return running;
    }

    /** Waits until it has ended, by {@link #close} or by a fault. */
    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    /** Lets handlers end within the grace, commits, leaves the group, and closes the handler. */
    @Override
    public void close() {
        running = false;
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        reporter.close();
        poller.close();
        committer.close();
        watch.close();
        clientMetrics.values().forEach(KafkaClientMetrics::close);
        admin.close(Duration.ZERO);
        handler.close();
        ended.countDown();
        LOG.info("Worker stopped");
    }

    private void died(Throwable fault) {
        if (running) {
            LOG.error("The worker ends after a fault; what it did not commit will be done again: {}",
                    Printable.of(fault.toString()), fault);
        }
        running = false;
        ended.countDown();
    }

    private Producer<byte[], byte[]> producer(KafkaClients clients, MeterRegistry registry) {
        Producer<byte[], byte[]> producer = clients.producer(Map.of(
                ProducerConfig.TRANSACTIONAL_ID_CONFIG, topics.workerGroup() + "." + name,
                ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, (int) settings.transactionTimeout().toMillis(),
                ProducerConfig.RETRY_BACKOFF_MS_CONFIG, 5,
                ProducerConfig.LINGER_MS_CONFIG, 0,
                // Not the consumer's: some of their metrics have the same name.
                ProducerConfig.CLIENT_ID_CONFIG, topics.workerGroup() + "." + name + ".moves"));
        bind("producer", new KafkaClientMetrics(producer), registry);
        return producer;
    }

    /** Takes the series of a client that this one replaces away. */
    private void bind(String client, KafkaClientMetrics metrics, MeterRegistry registry) {
        KafkaClientMetrics replaced = clientMetrics.put(client, metrics);
        if (replaced != null) {
            replaced.close();
        }
        metrics.bindTo(registry);
    }

    private KafkaConsumer<byte[], byte[]> consumer(KafkaClients clients, MeterRegistry registry) {
        KafkaConsumer<byte[], byte[]> consumer = clients.consumer(Map.of(
                ConsumerConfig.GROUP_ID_CONFIG, topics.workerGroup(),
                ConsumerConfig.GROUP_PROTOCOL_CONFIG, "consumer",
                ConsumerConfig.GROUP_REMOTE_ASSIGNOR_CONFIG, "range",
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1_000,
                ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, FETCH_WAIT_MILLIS,
                ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 8 * 1024 * 1024,
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, PARTITION_FETCH_BYTES,
                ConsumerConfig.CLIENT_ID_CONFIG, topics.workerGroup() + "." + name));
        bind("consumer", new KafkaClientMetrics(consumer), registry);
        return consumer;
    }
}
