package io.spillway.gateway;

import io.helidon.webserver.WebServer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.config.Configuration;
import io.spillway.config.GatewaySettings;
import io.spillway.core.item.Printable;
import io.spillway.core.ratelimit.AdmissionRules;
import io.spillway.core.ratelimit.LoadShedder;
import io.spillway.core.ratelimit.RateTable;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ApiKeys;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.LaneFlows;
import io.spillway.kafka.view.TenantPolicies;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gateway of one process. Owner of the listener, the producer and the thread that looks after slow callers; started
 * and closed by one thread at a time.
 */
public final class Gateway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
    private static final long LOOK_EVERY_MILLIS = 500;
    private static final long MEASURE_EVERY_MILLIS = 1_000;
    private static final long PRUNE_EVERY_MILLIS = 60_000;

    /**
     * What the gateway works with. The views are filled before it starts.
     *
     * @param policies    of tenants
     * @param keys        of tenants
     * @param adminKey    of the operator
     * @param depths      the books of tenants; of one that is not in them nobody knows what waits, and it is not held back
     * @param registry    for its metrics
     * @param metricsText what {@code /metrics} answers
     */
    public record Surroundings(
            TenantPolicies policies, ApiKeys keys, AdminKey adminKey, Depths depths,
            MeterRegistry registry, Supplier<String> metricsText) {}

    /**
     * Time and chance.
     *
     * @param clock      of the day
     * @param nanoTime   for durations
     * @param randomBits 64 random bits at each call, from any thread
     */
    public record Chance(InstantSource clock, LongSupplier nanoTime, LongSupplier randomBits) {
        /** From 0 to below 1. */
        double random() {
            return (randomBits.getAsLong() >>> 11) * 0x1p-53;
        }
    }

    private final GatewaySettings settings;
    private final InFlight inFlight;
    private final SlowReads slowReads;
    private final RateTable rates;
    private final LaneFlows flows;
    private final Producer<byte[], byte[]> producer;
    private final WebServer server;
    private final InstantSource clock;
    private final ScheduledExecutorService housekeeping = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("gateway-housekeeping").factory());
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean started;

    /**
     * Makes a gateway that {@link #start} brings to life.
     *
     * @throws io.spillway.core.settings.InvalidSettingException when its certificate cannot be used
     */
    public Gateway(Configuration configuration, Surroundings with, Chance chance) {
        this(configuration, with, chance, new KafkaClients(configuration.queue()).producer(producerSettings(configuration)));
    }

    /** With a producer, which becomes the gateway's. */
    Gateway(Configuration configuration, Surroundings with, Chance chance, Producer<byte[], byte[]> producer) {
        this.settings = configuration.gateway();
        this.clock = chance.clock();
        GatewaySettings.Limits limits = settings.limits();
        int maxTenants = configuration.router().maxTenants();
        this.rates = new RateTable(maxTenants, chance.randomBits().getAsLong());
        this.flows = new LaneFlows(with.depths());
        this.inFlight = new InFlight(limits);
        this.slowReads = new SlowReads(chance.nanoTime(), limits.bodyTimeout().toMillis());
        this.producer = producer;
        Topics topics = new Topics(configuration.queue());
        Body.Reader bodies = new Body.Reader(slowReads, chance.nanoTime(), limits.bodyTimeout().toMillis());
        Responder responder = new Responder(with.registry(), bodies, limits.batchBytes());
        Intake intake = new Intake(
                with.policies(), new AdmissionRules(rates, new LoadShedder(maxTenants)), with.depths(), clock, chance::random,
                producer, topics.ingress(), topics.ingressMaxBytes());
        ItemIds ids = new ItemIds(clock, chance.randomBits());
        Batch batch = new Batch(limits.batchLines(), limits.confirmTimeout().toMillis(), intake, responder, ids, clock);
        ItemsApi items = new ItemsApi(
                limits, inFlight, bodies, intake, batch, responder, ids, clock, chance.randomBits());
        AdminApi admin = new AdminApi(
                with.policies(), with.depths(), new DepthsReport(with.depths(), flows, with.policies()), clock);
        RequestRouter front = new RequestRouter(
                new Callers(with.keys(), with.adminKey()), items, admin, responder,
                with.metricsText(), isLoopback(settings.host()), this::isRunning);
        this.server = listener(front, responder);
        Gauge.builder("spillway.gateway.in_flight", inFlight, InFlight::requests)
                .description("Requests in flight")
                .register(with.registry());
    }

    /**
     * Starts to listen.
     *
     * @return its address, {@code http://HOST:PORT}
     * @throws IllegalStateException when the port is taken or the host is not ours; the message is one line
     */
    public String start() {
        flows.look(clock.millis());
        try {
            // The server only logs why it cannot listen, and returns; so we ask before it does.
            new ServerSocket(settings.port(), 1, InetAddress.getByName(settings.host())).close();
            server.start();
        } catch (IOException | RuntimeException e) {
            throw cannotListen(Printable.of(e.getMessage()), e);
        }
        if (!server.isRunning()) {
            throw cannotListen("the log says why", null);
        }
        housekeeping.scheduleWithFixedDelay(slowReads::look, LOOK_EVERY_MILLIS, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
        housekeeping.scheduleWithFixedDelay(
                () -> flows.look(clock.millis()), MEASURE_EVERY_MILLIS, MEASURE_EVERY_MILLIS, TimeUnit.MILLISECONDS);
        housekeeping.scheduleWithFixedDelay(
                () -> rates.prune(TimeUnit.MILLISECONDS.toNanos(clock.millis())),
                PRUNE_EVERY_MILLIS, PRUNE_EVERY_MILLIS, TimeUnit.MILLISECONDS);
        started = true;
        // A colon makes it an IPv6 address.
        String host = settings.host().contains(":") ? "[" + settings.host() + "]" : settings.host();
        return (settings.tls().isOn() ? "https://" : "http://") + host + ":" + server.port();
    }

    /** Whether it takes items. */
    public boolean isRunning() {
        return started && !inFlight.isStopping() && server.isRunning();
    }

    /** Waits until it has been closed. */
    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    /**
     * Stops: refuses what comes, answers what is in flight (for {@code gateway.limits.drainGrace} at the most), then closes
     * connections and the producer.
     */
    @Override
    public void close() {
        inFlight.stop();
        try {
            int unanswered = inFlight.awaitNone(settings.limits().drainGrace().toMillis());
            if (unanswered > 0) {
                LOG.warn("Stopped with {} requests not answered", unanswered);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        server.stop();
        housekeeping.shutdownNow();
        producer.close(Duration.ofSeconds(5));
        ended.countDown();
    }

    /** A listener that cannot be made must not leave the producer's thread behind. */
    private WebServer listener(RequestRouter front, Responder responder) {
        try {
            return Listener.of(settings, front, responder, slowReads);
        } catch (RuntimeException e) {
            producer.close(Duration.ZERO);
            throw e;
        }
    }

    /** Every send ends within the time to confirm, whatever waits for what. What is configured for all clients stays. */
    private static Map<String, Object> producerSettings(Configuration configuration) {
        int confirmMillis = (int) configuration.gateway().limits().confirmTimeout().toMillis();
        Map<String, Object> properties = new HashMap<>();
        properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, confirmMillis / 2);
        properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, confirmMillis);
        properties.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, confirmMillis / 2);
        // A caller waits for its answer, and under load batches form by themselves while others are on their way.
        if (!configuration.kafka().properties().containsKey(ProducerConfig.LINGER_MS_CONFIG)) {
            properties.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        }
        return properties;
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private IllegalStateException cannotListen(String reason, Exception cause) {
        return new IllegalStateException("cannot listen on " + Printable.of(settings.host()) + ":" + settings.port()
                + " for the gateway (gateway.host, gateway.port; port 0 takes a free one): " + reason, cause);
    }
}
