package io.spillway.runtime;

import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerResponse;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.spillway.config.MetricsSettings;
import io.spillway.core.item.Printable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Serves {@code /metrics} for Prometheus, {@code /livez} and {@code /readyz} on an address of its own, so that metrics
 * stay reachable when the gateway is under load. Owner of the registry and the listener; started and closed by one thread
 * at a time.
 */
public final class MetricsServer implements AutoCloseable {
    private static final Header PROMETHEUS_TEXT =
            HeaderValues.create(HeaderNames.CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8");
    /** Scrapers and probes are few; whoever opens more is held off. */
    private static final int MAX_CONNECTIONS = 64;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics gc = new JvmGcMetrics();
    private final MetricsSettings settings;
    private final BooleanSupplier isReady;
    private WebServer server;

    /**
     * Makes a server that {@link #start} brings to life.
     *
     * @param settings where to listen
     * @param isReady  whether the process does its work
     */
    public MetricsServer(MetricsSettings settings, BooleanSupplier isReady) {
        this.settings = settings;
        this.isReady = isReady;
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        gc.bindTo(registry);
    }

    /** Where meters are registered. */
    public PrometheusMeterRegistry registry() {
        return registry;
    }

    /**
     * Starts to listen.
     *
     * @return the address, {@code http://HOST:PORT/metrics}
     * @throws IllegalStateException when the port is taken or the host is not ours; the message is one line
     */
    public String start() {
        try {
            // The server only logs why it cannot listen, and returns; so we ask before it does.
            new ServerSocket(settings.port(), 1, InetAddress.getByName(settings.host())).close();
            server = build();
            server.start();
        } catch (IOException | RuntimeException e) {
            throw cannotListen(Printable.of(rootOf(e).getMessage()), e);
        }
        if (!server.isRunning()) {
            throw cannotListen("the log says why", null);
        }
        // A colon makes it an IPv6 address.
        String host = settings.host().contains(":") ? "[" + settings.host() + "]" : settings.host();
        return "http://" + host + ":" + server.port() + "/metrics";
    }

    @Override
    public void close() {
        if (server != null) {
            server.stop();
        }
        gc.close();
        registry.close();
    }

    private WebServer build() {
        return WebServer.builder()
                .host(settings.host())
                .port(settings.port())
                .shutdownHook(false)
                .shutdownGracePeriod(Duration.ofMillis(500))
                .maxTcpConnections(MAX_CONNECTIONS)
                .maxPayloadSize(1024)
                .routing((HttpRouting.Builder routing) -> routing
                        .get("/metrics", (request, response) ->
                                response.header(PROMETHEUS_TEXT).send(registry.scrape()))
                        .get("/livez", (request, response) -> response.send("ok\n"))
                        .get("/readyz", (request, response) -> sendReady(response, isReady.getAsBoolean())))
                .build();
    }

    private IllegalStateException cannotListen(String reason, Exception cause) {
        return new IllegalStateException("cannot listen on " + Printable.of(settings.host()) + ":" + settings.port()
                + " for metrics (metrics.host, metrics.port; port 0 takes a free one): " + reason, cause);
    }

    private static void sendReady(ServerResponse response, boolean ready) {
        response.status(ready ? Status.OK_200 : Status.SERVICE_UNAVAILABLE_503).send(ready ? "ready\n" : "not ready\n");
    }

    private static Throwable rootOf(Throwable fault) {
        Throwable root = fault;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
