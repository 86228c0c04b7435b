package io.spillway.gateway;

import io.helidon.webserver.WebServer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.config.Configuration;
import io.spillway.config.GatewaySettings;
import io.spillway.core.overload.DiskRoom;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.AdmissionRules;
import io.spillway.core.ratelimit.LoadShedder;
import io.spillway.core.ratelimit.ProportionalRates;
import io.spillway.core.ratelimit.RateTable;
import io.spillway.core.sharding.ShuffleSharder;
import io.spillway.kafka.periodic.PeriodicTask;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ApiKeys;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.GrownLimits;
import io.spillway.kafka.view.LaneFlows;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.TrackedItems;
import io.spillway.operator.OperatorApi;
import io.spillway.operator.report.OperatorReads;
import io.spillway.operator.report.OperatorReports;
import io.spillway.producer.TenantPartitioner;
import io.spillway.tracing.Tracing;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP gateway of one process. Owner of the listener, the producer and the housekeeping thread; started and closed by
 * one thread at a time.
 */
public final class Gateway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
    private static final long SLOW_READ_CHECK_MILLIS = 500;
    private static final long FLOW_UPDATE_MILLIS = 1_000;
    private static final long ELECT_EVERY_MILLIS = 10_000;
    private static final long PRUNE_EVERY_MILLIS = 60_000;

    /**
     * State and services of the process that the gateway uses. The views are filled before it starts.
     *
     * @param viewerKey   key of those who may only look; empty for none
     * @param operator    what operators see and change; not closed by the gateway
     * @param depths      balances of tenants
     * @param shares      this gateway's shares of the rates of admission
     * @param metricsText response body of {@code /metrics}
     * @param isReachable whether the cluster answers
     * @param reads       reads of the operator's view; the gateway closes it
     * @param tracked     states of items; empty if there is no trail
     */
    public record Dependencies(
            TenantPolicies policies, ApiKeys keys, AdminKey adminKey, Optional<AdminKey> viewerKey,
            OperatorApi operator, Depths depths, ProportionalRates shares, MeterRegistry registry,
            Supplier<String> metricsText, BooleanSupplier isReachable, Sweeps sweeps, OperatorReads reads,
            Optional<TrackedItems> tracked) {}

    /**
     * Sources of time and randomness.
     *
     * @param clock      wall clock
     * @param nanoTime   monotonic time for durations, nanoseconds
     * @param randomBits returns 64 random bits; thread-safe
     */
    public record Sources(InstantSource clock, LongSupplier nanoTime, LongSupplier randomBits) {
        /** Returns a number from 0 (inclusive) to 1 (exclusive). */
        double random() {
            return (randomBits.getAsLong() >>> 11) * 0x1p-53;
        }

        /** Returns a new UUID of version 7 (RFC 9562), which sorts by time. */
        String uuid() {
            long version = 0x7000L;
            long variant = 0x8000_0000_0000_0000L;
            return new UUID(
                    clock.millis() << 16 | version | randomBits.getAsLong() & 0xFFF,
                    variant | randomBits.getAsLong() >>> 2).toString();
        }
    }

    private final GatewaySettings settings;
    private final BooleanSupplier isReachable;
    private final Intake intake;
    private final InFlight inFlight;
    private final SlowReads slowReads;
    final OpenConnections connections;
    private final RateTable rates;
    private final Backlogs backlogs;
    private final LaneFlows flows;
    private final OperatorReports reports;
    private final Producer<byte[], byte[]> producer;
    private final Optional<ServerTls> tls;
    private final WebServer server;
    private final InstantSource clock;
    private final ScheduledExecutorService housekeeping = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("gateway-housekeeping").factory());
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean started;

    /**
     * Creates a gateway without traces that does not listen before {@link #start}.
     *
     * @throws io.spillway.core.settings.InvalidSettingException if its certificate cannot be used
     */
    public Gateway(Configuration configuration, Dependencies with, Sources sources) {
        this(configuration, with, Tracing.OFF, sources);
    }

    /**
     * Creates a gateway that does not listen before {@link #start}.
     *
     * @param tracing source of the spans of items
     * @throws io.spillway.core.settings.InvalidSettingException if its certificate cannot be used
     */
    public Gateway(Configuration configuration, Dependencies with, Tracing tracing, Sources sources) {
        this(configuration, with, tracing, sources,
                new KafkaClients(configuration.queue()).producer(
                        producerSettings(configuration, with.policies())));
    }

    /**
     * Checks the files of the settings.
     *
     * @throws io.spillway.core.settings.InvalidSettingException if the certificate cannot be used
     */
    public static void check(GatewaySettings settings) {
        ServerTls.of(settings.tls());
    }

    /** @param producer owned by the gateway from here on */
    Gateway(
            Configuration configuration, Dependencies with, Tracing tracing, Sources sources,
            Producer<byte[], byte[]> producer) {
        this.settings = configuration.gateway();
        this.clock = sources.clock();
        this.isReachable = with.isReachable();
        GatewaySettings.Limits limits = settings.limits();
        int maxTenants = configuration.router().maxTenants();
        this.rates = new RateTable(maxTenants, with.shares());
        this.backlogs = new Backlogs(with.depths(), with.policies()::isAnySubscriptionPaused, maxTenants);
        this.flows = new LaneFlows(with.depths());
        this.inFlight = new InFlight(limits);
        long bodyNanos = limits.bodyTimeout().toNanos();
        this.slowReads = new SlowReads(sources.nanoTime());
        this.connections = new OpenConnections(new OpenConnections.Limits(
                limits.connections(), limits.addressConnections(), limits.bodyTimeout(), limits.idleTimeout(),
                "gateway.limits.connections and gateway.limits.addressConnections"), sources.nanoTime());
        this.producer = producer;
        Body.Reader bodies = new Body.Reader(slowReads, sources.nanoTime(), bodyNanos);
        Responder responder = new Responder(with.registry(), bodies, limits.batchBytes());
        this.intake = new Intake(
                with.policies(), new GrownLimits(with.depths(), maxTenants),
                new AdmissionRules(rates, new LoadShedder(maxTenants)), backlogs, sources, producer,
                new Topics(configuration.queue()), limits.confirmTimeout().toMillis(), tracing,
                with.registry(), configuration.metrics().tenants());
        Batch batch = new Batch(limits.batchLines(), intake, responder, sources);
        ItemsApi items = new ItemsApi(limits, inFlight, bodies, intake, batch,
                new ItemFates(with.policies(), with.tracked()), responder, sources);
        this.reports = new OperatorReports(
                configuration,
                new OperatorReports.Views(
                        with.policies(), with.sweeps(), with.depths(), flows,
                        tenant -> LoadShedder.share(with.policies().of(tenant), backlogs.of(tenant))),
                with.reads(), version(), clock);
        AdminApi admin = new AdminApi(
                reports, with.operator(), configuration.kafka().prefix(), settings.viewerPayloads(), clock);
        RequestRouter requestRouter = new RequestRouter(
                new Callers(with.keys(), with.adminKey(), with.viewerKey(), clock), items, admin, new Console(),
                responder, bodies, with.metricsText(), this::isReady, sources.nanoTime());
        this.tls = tls();
        tls.ifPresent(serverTls -> serverTls.bindTo(with.registry(), "gateway", clock));
        this.server = listener(requestRouter, responder);
        Gauge.builder("spillway.gateway.in_flight", inFlight, InFlight::requests)
                .description("Requests in flight")
                .register(with.registry());
    }

    /**
     * Starts listening.
     *
     * @return its address, {@code http://HOST:PORT} or {@code https://HOST:PORT}
     * @throws IllegalStateException if it cannot listen on the address; the message is one line
     */
    public String start() {
        sample();
        String url = Listener.start(server, "The gateway", "gateway");
        // Two gateways of one host have different ports.
        StartDelays delays = StartDelays.of(settings.host() + ":" + settings.port());
        repeat("gateway-slow-reads", delays, slowReads::interruptOverdue, SLOW_READ_CHECK_MILLIS);
        repeat("gateway-idle-connections", delays, connections::closeOverdue, SLOW_READ_CHECK_MILLIS);
        repeat("gateway-flows", delays, this::sample, FLOW_UPDATE_MILLIS);
        tls.ifPresent(serverTls -> repeat("gateway-certificate", delays, serverTls::reload, ServerTls.CHECK_MILLIS));
        repeat("gateway-tenants", delays, intake::electTenants, ELECT_EVERY_MILLIS);
        repeat("gateway-prune", delays, () -> rates.prune(TimeUnit.MILLISECONDS.toNanos(clock.millis())),
                PRUNE_EVERY_MILLIS);
        started = true;
        return url;
    }

    /** Updates flows and backlogs; called by one thread at a time. */
    synchronized void sample() {
        flows.sample(clock.millis());
        backlogs.sample(clock.millis());
        long nowMillis = clock.millis();
        if (reports.isSampleDue(nowMillis)) {
            // It may wait for Kafka, and this thread also ends slow reads.
            Thread.ofVirtual().name("gateway-history").start(() -> reports.sample(nowMillis));
        }
    }

    /** Returns the version of the distribution. */
    static String version() {
        return Optional.ofNullable(Gateway.class.getPackage().getImplementationVersion()).orElse("development");
    }

    private void repeat(String job, StartDelays delays, Runnable task, long everyMillis) {
        Runnable resilient = PeriodicTask.resilient(
                task, failure -> LOG.warn("{} failed; it is repeated in {} ms: {}", job, everyMillis, failure));
        housekeeping.scheduleWithFixedDelay(
                resilient, delays.millis(job, everyMillis), everyMillis, TimeUnit.MILLISECONDS);
    }

    /** Accepts no items while a disk has no room for them. */
    public void follow(DiskRoom room) {
        intake.follow(room);
    }

    /**
     * Returns whether a load balancer should send requests: the gateway accepts them, and Kafka stores items as far as
     * is known.
     */
    public boolean isReady() {
        return started && !inFlight.isStopping() && server.isRunning() && isReachable.getAsBoolean()
                && intake.isConfirming();
    }

    /** Waits until the gateway has been closed. */
    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    /**
     * Stops: rejects new requests, waits up to {@code gateway.limits.drainGrace} for those in flight, then closes the
     * connections and the producer.
     */
    @Override
    public void close() {
        inFlight.stop();
        try {
            int unanswered = inFlight.awaitNone(settings.limits().drainGrace().toMillis());
            if (unanswered > 0) {
                LOG.warn("Stopped before {} requests were answered. Their clients may retry them;"
                        + " raise gateway.limits.drainGrace to wait longer.", unanswered);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        server.stop();
        housekeeping.shutdownNow();
        reports.close();
        producer.close(Duration.ofSeconds(5));
        ended.countDown();
    }

    /** Reads the certificate; closes the producer if that fails, because it has a thread. */
    private Optional<ServerTls> tls() {
        try {
            return ServerTls.of(settings.tls());
        } catch (RuntimeException e) {
            producer.close(Duration.ZERO);
            throw e;
        }
    }

    /** Creates the listener; closes the producer if that fails. */
    private WebServer listener(RequestRouter requestRouter, Responder responder) {
        try {
            return Listener.of(
                    settings.host(), settings.port(), settings.limits(), tls, requestRouter::handle, responder,
                    slowReads, connections);
        } catch (RuntimeException e) {
            producer.close(Duration.ZERO);
            throw e;
        }
    }

    /** Returns settings that end every send within the confirm timeout, on a partition of the tenant's shard. */
    static Map<String, Object> producerSettings(Configuration configuration, TenantPolicies policies) {
        int confirmMillis = (int) configuration.gateway().limits().confirmTimeout().toMillis();
        int shardSize = TenantPolicy.of(configuration.defaults()).shardSize();
        PlacementView placement = new PlacementView(configuration.queue(), policies, new ShardAssignments());
        int lanePartitions = configuration.queue().topics().partitions();
        // While partitions are added, ingress has another number.
        TenantPartitioner.Shards shards = (tenant, partitions, into) -> partitions == lanePartitions
                ? placement.ofTenant(policies.context(tenant), "", into) : 0;
        Map<String, Object> properties = new HashMap<>(Map.of(
                ProducerConfig.MAX_BLOCK_MS_CONFIG, confirmMillis / 2,
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, confirmMillis,
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, confirmMillis / 2,
                // When a batch times out, an idempotent producer sends those of its partition that are under way once
                // more, as new ones: an item that is stored already would be stored twice.
                ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1,
                ProducerConfig.PARTITIONER_CLASS_CONFIG, TenantPartitioner.class.getName(),
                TenantPartitioner.SEED, configuration.shards().seed(),
                TenantPartitioner.SIZE, Math.min(shardSize, ShuffleSharder.MAX_SIZE),
                TenantPartitioner.SHARDS, shards));
        // A client waits for each response, and under load batches form while earlier ones are in flight.
        if (!configuration.kafka().properties().containsKey(ProducerConfig.LINGER_MS_CONFIG)) {
            properties.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        }
        return properties;
    }
}
