package io.spillway.gateway;

import io.helidon.webserver.WebServer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.spillway.config.Configuration;
import io.spillway.config.GatewaySettings;
import io.spillway.kafka.periodic.PeriodicTask;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.worker.handlers.PullSettings;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP server from which external workers lease items. Close it after the worker, whose stop waits for answers. Owner
 * of the listener and its checks; started and closed by one thread at a time.
 */
public final class WorkServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WorkServer.class);

    private static final long CHECK_MILLIS = 500;

    private final PullSettings settings;
    private final SlowReads slowReads;
    private final OpenConnections connections;
    private final Optional<ServerTls> tls;
    private final Answers answers;
    private final WebServer server;
    private final ScheduledExecutorService checks = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("work-connections").factory());

    /**
     * Creates a server that does not listen before {@link #start}.
     *
     * @param handler from which items are leased; not closed by this server
     * @param key     of the external workers
     * @throws io.spillway.core.settings.InvalidSettingException if the certificate of the gateway cannot be used
     */
    public WorkServer(
            Configuration configuration, PullHandler handler, AdminKey key, MeterRegistry registry,
            InstantSource clock, LongSupplier nanoTime) {
        this.settings = configuration.handler().of(PullSettings.class).orElseThrow();
        GatewaySettings.Limits limits = configuration.gateway().limits();
        long bodyNanos = limits.bodyTimeout().toNanos();
        this.slowReads = new SlowReads(nanoTime);
        this.answers = new Answers(handler);
        this.connections = new OpenConnections(new OpenConnections.Limits(
                limits.connections(), limits.addressConnections(), limits.bodyTimeout(), limits.idleTimeout(),
                "gateway.limits.connections and gateway.limits.addressConnections"), nanoTime);
        Body.Reader bodies = new Body.Reader(slowReads, nanoTime, bodyNanos);
        // Without a registry: its meters are of the gateway, where long polls would count as slow requests.
        Responder responder = new Responder(new CompositeMeterRegistry(), bodies, limits.batchBytes());
        WorkApi api = new WorkApi(handler, answers, key, bodies, responder, connections);
        this.tls = ServerTls.of(configuration.gateway().tls());
        tls.ifPresent(serverTls -> serverTls.bindTo(registry, "pull", clock));
        this.server = Listener.of(settings.host(), settings.port(), limits, tls, api::handle, responder, slowReads,
                connections);
        Gauge.builder("spillway.pull.leased", handler, PullHandler::leasedItems)
                .description("Items leased by external workers").register(registry);
        Gauge.builder("spillway.pull.asked", handler, PullHandler::askedItems)
                .description("Items that waiting lease calls ask for").register(registry);
    }

    /**
     * Starts listening.
     *
     * @return its address, {@code http://HOST:PORT} or {@code https://HOST:PORT}
     * @throws IllegalStateException if it cannot listen on the address; the message is one line
     */
    public String start() {
        String url = Listener.start(server, "Handler type pull", "handler.pull");
        long delayMillis = StartDelays.of(url).millis("work-connections", CHECK_MILLIS);
        Runnable check = PeriodicTask.resilient(() -> {
            slowReads.interruptOverdue();
            connections.closeOverdue();
        }, failure -> LOG.warn("Overdue connections of workers cannot be closed; it is retried: {}", failure));
        checks.scheduleWithFixedDelay(check, delayMillis, CHECK_MILLIS, TimeUnit.MILLISECONDS);
        tls.ifPresent(serverTls -> checks.scheduleWithFixedDelay(
                PeriodicTask.resilient(serverTls::reload, failure ->
                        LOG.warn("The certificate cannot be checked for a change; it is retried: {}", failure)),
                ServerTls.CHECK_MILLIS, ServerTls.CHECK_MILLIS, TimeUnit.MILLISECONDS));
        return url;
    }

    @Override
    public void close() {
        server.stop();
        answers.close();
        checks.shutdownNow();
    }
}
