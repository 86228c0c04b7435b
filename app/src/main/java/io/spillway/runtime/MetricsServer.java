package io.spillway.runtime;

import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Method;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.spillway.config.MetricsSettings;
import io.spillway.core.text.Printable;
import io.spillway.gateway.OpenConnections;
import io.spillway.gateway.Requests;
import io.spillway.kafka.periodic.PeriodicTask;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.tls.CurrentKeyStores;
import io.spillway.tracing.Tracing;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP server for {@code /metrics} (Prometheus), {@code /livez} and {@code /readyz} on a separate port, so that they
 * stay reachable if the gateway is overloaded. Owner of the registry and the listener; started and closed by one thread
 * at a time.
 */
public final class MetricsServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsServer.class);

    private static final Header PLAIN_TEXT =
            HeaderValues.create(HeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8");
    private static final Header PROMETHEUS_TEXT =
            HeaderValues.create(HeaderNames.CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8");
    private static final String OPEN_METRICS = "application/openmetrics-text";
    private static final Header OPEN_METRICS_TEXT =
            HeaderValues.create(HeaderNames.CONTENT_TYPE, OPEN_METRICS + "; version=1.0.0; charset=utf-8");
    /** Enough for scrapers and probes. */
    private static final OpenConnections.Limits CONNECTIONS = new OpenConnections.Limits(
            64, 32, Duration.ofSeconds(5), Duration.ofMinutes(5),
            "the limits of metrics.port (64, and 32 of an address)");
    private static final long CHECK_MILLIS = 500;

    private final PrometheusMeterRegistry registry;
    private final JvmGcMetrics gc = new JvmGcMetrics();
    private final MetricsSettings settings;
    private final boolean hasExemplars;
    private final BooleanSupplier isReady;
    private final OpenConnections connections = new OpenConnections(CONNECTIONS, System::nanoTime);
    private final ScheduledExecutorService checks = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("metrics-connections").factory());
    private WebServer server;

    /**
     * Creates a server that does not listen before {@link #start}.
     *
     * @param queue   label of every series, so that one Prometheus can tell queues apart: {@code kafka.prefix}
     * @param tracing with spans, histograms have exemplars
     * @param isReady whether all roles of the process do their work and the cluster answers
     */
    public MetricsServer(MetricsSettings settings, String queue, Tracing tracing, BooleanSupplier isReady) {
        this.settings = settings;
        this.hasExemplars = tracing.isOn();
        this.registry = hasExemplars
                ? new PrometheusMeterRegistry(
                        PrometheusConfig.DEFAULT, new PrometheusRegistry(), Clock.SYSTEM, new CurrentSpan())
                : new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        this.isReady = isReady;
        // Before the first meter, because a filter does not apply to registered ones.
        registry.config().meterFilter(KafkaMeters.filter(settings.kafka())).commonTags("queue", queue);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        gc.bindTo(registry);
    }

    public PrometheusMeterRegistry registry() {
        return registry;
    }

    /**
     * Starts to listen and returns {@code http://HOST:PORT/metrics}.
     *
     * @throws IllegalStateException if the port is in use or the host is not local; the message is one line
     */
    public String start() {
        try {
            // The server would only log why it cannot listen, and return.
            new ServerSocket(settings.port(), 1, InetAddress.getByName(settings.host())).close();
            server = build();
            server.start();
        } catch (IOException | RuntimeException e) {
            throw cannotListen(Printable.of(rootOf(e).getMessage()), e);
        }
        if (!server.isRunning()) {
            throw cannotListen("see the log", null);
        }
        long delayMillis = StartDelays.of(settings.host() + ":" + server.port()).millis("metrics-checks", CHECK_MILLIS);
        Runnable check = PeriodicTask.resilient(connections::closeOverdue,
                failure -> LOG.warn("Overdue connections cannot be closed; it is retried: {}", failure));
        checks.scheduleWithFixedDelay(check, delayMillis, CHECK_MILLIS, TimeUnit.MILLISECONDS);
        // A colon makes it an IPv6 address.
        String host = settings.host().contains(":") ? "[" + settings.host() + "]" : settings.host();
        return "http://" + host + ":" + server.port() + "/metrics";
    }

    @Override
    public void close() {
        if (server != null) {
            server.stop();
        }
        checks.shutdownNow();
        gc.close();
        registry.close();
    }

    private WebServer build() {
        WebServerConfig.Builder builder = WebServer.builder()
                .host(settings.host())
                .port(settings.port())
                .shutdownHook(false)
                .shutdownGracePeriod(Duration.ofMillis(500))
                .useNio(false)
                .maxPayloadSize(1024)
                .routing((HttpRouting.Builder routing) -> routing
                        .addFilter(connections.filter())
                        .any(this::answer));
        connections.watch(builder);
        return builder.build();
    }

    /** Measures the time until the certificate of this process at the brokers expires. */
    public void certificate(CurrentKeyStores keys, InstantSource clock) {
        TimeGauge.builder("spillway.certificate.expires",
                        () -> keys.endMillis().stream().mapToDouble(end -> end - clock.millis()).findFirst()
                                .orElse(Double.NaN),
                        TimeUnit.MILLISECONDS)
                .description("Time until the certificate expires").tag("use", "kafka").register(registry);
    }

    private void answer(ServerRequest request, ServerResponse response) {
        switch (Requests.isRead(request) ? Requests.path(request) : "") {
            case "/metrics" -> sendMetrics(request, response);
            case "/livez" -> send(request, response, PLAIN_TEXT, "ok\n");
            case "/readyz" -> sendReady(request, response);
            default -> response.status(Status.NOT_FOUND_404).send();
        }
    }

    /** Only OpenMetrics has exemplars. Prometheus asks for it; without traces everything is as it was before them. */
    private void sendMetrics(ServerRequest request, ServerResponse response) {
        boolean asksForOpenMetrics = request.headers().first(HeaderNames.ACCEPT).orElse("").contains(OPEN_METRICS);
        if (hasExemplars && asksForOpenMetrics) {
            send(request, response, OPEN_METRICS_TEXT, registry.scrape(OPEN_METRICS_TEXT.get()));
        } else {
            send(request, response, PROMETHEUS_TEXT, registry.scrape());
        }
    }

    private IllegalStateException cannotListen(String reason, Exception cause) {
        return new IllegalStateException("Cannot listen on " + Printable.of(settings.host()) + ":" + settings.port()
                + " for metrics: " + reason
                + ". Set metrics.host or metrics.port to another, or metrics.port to 0 for any free port.", cause);
    }

    private void sendReady(ServerRequest request, ServerResponse response) {
        boolean ready = isReady.getAsBoolean();
        response.status(ready ? Status.OK_200 : Status.SERVICE_UNAVAILABLE_503);
        send(request, response, PLAIN_TEXT, ready ? "ready\n" : "not ready\n");
    }

    /** Sends a text, or for HEAD its length alone. */
    private static void send(ServerRequest request, ServerResponse response, Header type, String text) {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        response.header(type).headers().contentLength(body.length);
        response.send(request.prologue().method() == Method.HEAD ? new byte[0] : body);
    }

    private static Throwable rootOf(Throwable fault) {
        Throwable root = fault;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
