package io.spillway.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.tracing.Tracing;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120) // Against a hang; nothing is measured.
class TraceExportTest {
    @BeforeEach
    @AfterEach
    void forget() {
        GlobalOpenTelemetry.resetForTest();
    }

    @ParameterizedTest
    @CsvSource({
        "'', false",
        "OTEL_SERVICE_NAME=x, false",
        "OTEL_SEMCONV_STABILITY_OPT_IN=messaging, false",
        "OTEL_TRACES_EXPORTER=otlp, true",
        "OTEL_TRACES_EXPORTER=none, false",
        "OTEL_TRACES_EXPORTER=, false",
        "OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318, true",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://collector:4318/v1/traces, true",
        "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://collector:4318, false",
        "OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318 OTEL_TRACES_EXPORTER=none, false",
        "OTEL_TRACES_EXPORTER=otlp OTEL_SDK_DISABLED=true, false",
        "OTEL_TRACES_EXPORTER=otlp OTEL_SDK_DISABLED=false, true"})
    void only_a_variable_that_says_where_traces_go_turns_them_on(String variables, boolean on) {
        assertThat(TraceExport.isOn(environment(variables))).isEqualTo(on);
    }

    @Test
    void without_such_a_variable_there_is_no_sdk() {
        try (TraceExport export = TraceExport.open(Map.of("OTEL_SERVICE_NAME", "x"))) {
            assertThat(export.tracing()).isSameAs(Tracing.OFF);
            assertThat(GlobalOpenTelemetry.isSet()).isFalse();
        }
    }

    @Test
    void spans_are_sent_by_otlp_over_http_at_the_latest_when_the_process_stops() throws Exception {
        BlockingQueue<String> bodies = new LinkedBlockingQueue<>();
        HttpServer collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        collector.start();
        String url = "http://127.0.0.1:" + collector.getAddress().getPort();
        try (TraceExport export = TraceExport.open(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", url))) {
            export.tracing().send("q.ingress", "acme", "", "order-17", 1, name -> Optional.empty())
                    .end(Optional.empty());
            assertThat(GlobalOpenTelemetry.isSet()).as("for the code of handlers").isTrue();
        }
        String body = bodies.poll(60, TimeUnit.SECONDS);
        collector.stop(0);

        assertThat(body).contains("order-17", "acme", "spillway", "service.name");
    }

    @ParameterizedTest
    @CsvSource({
        "OTEL_TRACES_EXPORTER=nowhere, nowhere",
        "OTEL_TRACES_EXPORTER=otlp OTEL_TRACES_SAMPLER=sometimes, sometimes",
        "OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=grpc, Grpc",
        "OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318, endpoint"})
    void a_value_that_the_sdk_refuses_stops_the_start_and_is_named(String variables, String named) {
        assertThatThrownBy(() -> TraceExport.open(environment(variables)))
                .isInstanceOfSatisfying(CommandFailure.class,
                        failure -> assertThat(failure.exitCode()).isEqualTo(CommandFailure.USAGE))
                .hasMessageContaining("OTEL_").hasMessageContaining(named);
    }

    private static Map<String, String> environment(String variables) {
        Map<String, String> environment = new HashMap<>();
        for (String each : variables.isEmpty() ? new String[0] : variables.split(" ")) {
            String[] parts = each.split("=", 2);
            environment.put(parts[0], parts[1]);
        }
        return environment;
    }
}
