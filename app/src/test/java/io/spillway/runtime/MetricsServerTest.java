package io.spillway.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.spillway.config.MetricsSettings;
import io.spillway.tracing.RecordedSpans;
import io.spillway.tracing.Tracing;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MetricsServerTest {
    private static final MetricsSettings ANY_PORT = settings("127.0.0.1", 0);

    private final AtomicBoolean ready = new AtomicBoolean();

    @Test
    void metrics_are_prometheus_text_and_include_those_of_the_jvm() throws Exception {
        try (MetricsServer server = new MetricsServer(ANY_PORT, "orders", Tracing.OFF, ready::get)) {
            Counter.builder("spillway.routed").tag("lane", "hot").register(server.registry()).increment(3);
            HttpResponse<String> answer = get(server.start(), "");

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("content-type")).hasValueSatisfying(
                    type -> assertThat(type).startsWith("text/plain").contains("version=0.0.4"));
            assertThat(answer.body())
                    .contains("# TYPE spillway_routed_total counter\n",
                            "spillway_routed_total{lane=\"hot\",queue=\"orders\"} 3.0\n")
                    .contains("jvm_memory_used_bytes", "jvm_gc_", "jvm_threads_live_threads", "process_uptime_seconds");
        }
    }

    @Test
    void with_traces_histograms_have_exemplars_for_a_client_that_asks_for_open_metrics() throws Exception {
        try (RecordedSpans spans = new RecordedSpans();
                MetricsServer server = new MetricsServer(ANY_PORT, "orders", spans.tracing(), ready::get)) {
            Timer age = Timer.builder("spillway.age").serviceLevelObjectives(Duration.ofSeconds(1))
                    .register(server.registry());
            Span span = spans.telemetry().getTracer("test").spanBuilder("x").startSpan();
            Context.root().with(span).wrap(() -> age.record(Duration.ofMillis(20))).run();
            String traceId = span.getSpanContext().getTraceId();
            URI url = URI.create(server.start());
            HttpResponse<String> plain = get(url.toString(), "");
            HttpResponse<String> open = HttpClient.newHttpClient().send(
                    HttpRequest.newBuilder(url).header("Accept", "application/openmetrics-text; version=1.0.0;q=0.9,*/*")
                            .build(), HttpResponse.BodyHandlers.ofString());

            assertThat(open.headers().firstValue("content-type")).hasValueSatisfying(
                    type -> assertThat(type).startsWith("application/openmetrics-text"));
            assertThat(open.body().lines().filter(
                            line -> line.startsWith("spillway_age_seconds_bucket{queue=\"orders\",le=\"1.0\"")))
                    .singleElement().asString().contains("trace_id=\"" + traceId + "\"");
            assertThat(plain.body()).contains("spillway_age_seconds_bucket").doesNotContain(traceId);
        }
    }

    @Test
    void without_traces_the_format_is_always_prometheus_text() throws Exception {
        try (MetricsServer server = new MetricsServer(ANY_PORT, "orders", Tracing.OFF, ready::get)) {
            HttpResponse<String> answer = HttpClient.newHttpClient().send(
                    HttpRequest.newBuilder(URI.create(server.start())).header("Accept", "application/openmetrics-text")
                            .build(), HttpResponse.BodyHandlers.ofString());

            assertThat(answer.headers().firstValue("content-type"))
                    .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
        }
    }

    @Test
    void is_alive_after_the_start_and_ready_when_all_roles_run() throws Exception {
        try (MetricsServer server = new MetricsServer(ANY_PORT, "orders", Tracing.OFF, ready::get)) {
            String address = server.start();

            assertThat(get(address, "/livez").statusCode()).isEqualTo(200);
            assertThat(get(address, "/readyz").statusCode()).isEqualTo(503);
            ready.set(true);
            assertThat(get(address, "/readyz").statusCode()).isEqualTo(200);
            ready.set(false);
            assertThat(get(address, "/readyz").statusCode()).as("the router has stopped").isEqualTo(503);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "HEAD /livez HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "GET /livez HTTP/1.0\r\n\r\n",
        "HEAD /metrics HTTP/1.0\r\n\r\n", "GET http://h/metrics HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
    })
    void forms_of_probes_are_answered_and_the_connection_closed(String request) throws Exception {
        try (MetricsServer server = new MetricsServer(ANY_PORT, "orders", Tracing.OFF, ready::get);
                Socket socket = new Socket("127.0.0.1", URI.create(server.start()).getPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(answer).startsWith("HTTP/1.1 200");
            assertThat(answer.endsWith("\r\n\r\n")).as("no body").isEqualTo(request.startsWith("HEAD"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/metrics/x", "/admin", "/../etc/passwd"})
    void other_paths_do_not_exist(String path) throws Exception {
        try (MetricsServer server = new MetricsServer(ANY_PORT, "orders", Tracing.OFF, ready::get)) {
            assertThat(get(server.start(), path).statusCode()).isIn(400, 404);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GET /livez HTTP/1.1\r\n", "GET /livez HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n"})
    void probes_are_answered_while_peers_hold_all_connections(String sent) throws Exception {
        List<Socket> silent = new ArrayList<>();
        try (MetricsServer server = new MetricsServer(ANY_PORT, "orders", Tracing.OFF, ready::get)) {
            String address = server.start();
            for (int i = 0; i < 200; i++) {
                Socket socket = new Socket("127.0.0.1", URI.create(address).getPort());
                silent.add(socket);
                try {
                    socket.getOutputStream().write(sent.getBytes(StandardCharsets.US_ASCII));
                } catch (SocketException displaced) {
                    // The server has closed it already.
                }
            }
            for (String path : List.of("/livez", "/livez", "/metrics")) {
                assertThat(get(address, path).statusCode()).isEqualTo(200);
            }
            assertThat(get(address, "/readyz").statusCode()).isEqualTo(503);
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    @Test
    void a_port_in_use_is_reported_in_one_line_with_the_remedy() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                MetricsServer server =
                        new MetricsServer(
                                settings("127.0.0.1", taken.getLocalPort()), "orders", Tracing.OFF, ready::get)) {
            assertThatThrownBy(server::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("127.0.0.1:" + taken.getLocalPort())
                    .hasMessageContaining("metrics.port")
                    .hasMessageContaining("Address already in use")
                    .message().doesNotContain("\n");
        }
    }

    @Test
    void a_remote_address_is_named() {
        try (MetricsServer server = new MetricsServer(settings("192.0.2.1", 0), "orders", Tracing.OFF, ready::get)) {
            assertThatThrownBy(server::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("192.0.2.1:0")
                    .hasMessageContaining("metrics.host");
        }
    }

    @Test
    void an_unknown_host_is_named() {
        try (MetricsServer server =
                new MetricsServer(settings("no-such-host.invalid", 0), "orders", Tracing.OFF, ready::get)) {
            assertThatThrownBy(server::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no-such-host.invalid")
                    .hasMessageContaining("metrics.host");
        }
    }

    @Test
    void the_address_of_an_ipv6_host_is_a_valid_url() throws Exception {
        try (MetricsServer server = new MetricsServer(settings("::1", 0), "orders", Tracing.OFF, ready::get)) {
            String address;
            try {
                address = server.start();
            } catch (IllegalStateException e) {
                abort("this machine has no IPv6: " + e.getMessage());
                return;
            }
            assertThat(address).startsWith("http://[::1]:");
            assertThat(get(address, "/livez").statusCode()).isEqualTo(200);
        }
    }

    /** @param path instead of that of the metrics; empty for the metrics */
    private static HttpResponse<String> get(String metricsUrl, String path) throws IOException, InterruptedException {
        String url =
                path.isEmpty() ? metricsUrl : metricsUrl.substring(0, metricsUrl.length() - "/metrics".length()) + path;
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(10)).build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    private static MetricsSettings settings(String host, int port) {
        return new MetricsSettings(host, port, 100, MetricsSettings.KafkaMetrics.SELECTED);
    }
}
