package io.spillway.worker.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.handler.Delivery;
import io.spillway.handler.DeliveryBuilder;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Configured parts of a request, and the body of the response. */
@Timeout(60) // Only against a hang.
class HttpRequestTest {
    private static final String AUTHORIZATION = "secretHeaders.Authorization";

    private final List<Map<String, List<String>>> received = new CopyOnWriteArrayList<>();
    private final List<String> paths = new CopyOnWriteArrayList<>();
    private volatile int status = 200;
    private volatile byte[] body = {};
    private HttpServer server;

    @TempDir
    private Path directory;

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::respond);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void configured_headers_and_secrets_from_files_are_sent() throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "Bearer abc\n");

        send(settings("/work", "headers.X-Source", "spillway", AUTHORIZATION, token.toString()), item());

        assertThat(received.getLast()).containsEntry("X-source", List.of("spillway"))
                .containsEntry("Authorization", List.of("Bearer abc"));
    }

    @Test
    void an_order_key_is_a_header_if_it_can_be_one() throws Exception {
        for (String key : List.of("k 1", "ä")) {
            send(settings("/work"), DeliveryBuilder.of("acme", "1").header("spillway-order-key", key).build());
        }
        assertThat(received.getFirst()).containsEntry("Spillway-order-key", List.of("k 1"));
        assertThat(received.getLast()).doesNotContainKey("Spillway-order-key");
    }

    @Test
    void a_secret_is_in_no_text_of_the_settings_and_in_no_error() throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "hidden\nhidden");
        HttpSettings settings = settings("/", "headers.X-Key", "hidden", AUTHORIZATION, token.toString());

        assertThat(settings.toString()).doesNotContain("hidden");
        assertThatThrownBy(() -> new HttpHandler.Type().check(settings, null))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("handler.http.secretHeaders.Authorization")
                .hasMessageNotContaining("hidden");
        assertThatThrownBy(() -> settings("/", "headers.X-Key", "hidden\n"))
                .isInstanceOf(InvalidSettingException.class).hasMessageNotContaining("hidden");
    }

    @Test
    void a_missing_secret_is_found_before_the_start() {
        HttpSettings settings = settings("/", AUTHORIZATION, directory + "/none");

        assertThatThrownBy(() -> new HttpHandler.Type().check(settings, null))
                .isInstanceOf(InvalidSettingException.class).hasMessageContaining("must be a readable file");
    }

    @ParameterizedTest
    @CsvSource({"Content-Type", "spillway-tenant", "Spillway-Attribute-a", "Idempotency-Key", "Host", "Content-Length",
        "'a b'", "''", "'a:'", "traceparent"})
    void a_header_of_the_handler_or_the_client_cannot_be_configured(String name) {
        assertThatThrownBy(() -> settings("/", "headers." + name, "x")).isInstanceOf(InvalidSettingException.class);
        assertThatThrownBy(() -> settings("/", "secretHeaders." + name, "x"))
                .isInstanceOf(InvalidSettingException.class);
    }

    @Test
    void a_header_is_configured_once_in_any_case() {
        assertThatThrownBy(() -> settings("/", "headers.X-Key", "x", "secretHeaders.x-key", "y"))
                .isInstanceOf(InvalidSettingException.class).hasMessageContaining("once");
    }

    @Test
    void attributes_are_headers_when_configured_with_other_bytes_escaped() throws Exception {
        Map<String, String> attributes = Map.of(
                "color", "dark blue", "größe", "5 % ü\r\nX-Injected: 1", "b c", " x ");

        send(settings("/work", "attributes", "true"), item(attributes));

        assertThat(received.getLast())
                .containsEntry("Spillway-attribute-color", List.of("dark blue"))
                .containsEntry("Spillway-attribute-gr%c3%b6%c3%9fe", List.of("5 %25 %C3%BC%0D%0AX-Injected: 1"))
                .containsEntry("Spillway-attribute-b%20c", List.of("%20x%20"))
                .doesNotContainKey("X-injected");
    }

    @Test
    void the_attributes_of_a_cloud_event_and_chosen_headers_of_the_record_are_sent() throws Exception {
        send(settings("/work", "recordHeaders", "x-request-id, X-Source"), DeliveryBuilder.of("acme", "order-17")
                .header("ce_specversion", "1.0").header("ce_subject", "dark \"blue\" ü").header("ce_Not", "x")
                .header("X-Request-ID", "a b").header("x-source", "1").header("x-source", "2").header("x-other", "x")
                .build());

        assertThat(received.getLast()).containsEntry("Ce-specversion", List.of("1.0"))
                .containsEntry("Ce-subject", List.of("dark%20%22blue%22%20%C3%BC"))
                .containsEntry("X-request-id", List.of("a b")).containsEntry("X-source", List.of("1", "2"))
                .doesNotContainKeys("Ce-not", "X-other", "Ce_specversion");
    }

    @ParameterizedTest
    @CsvSource({"spillway-id", "content-type", "x-key", "'x-a,,x-b'", "'a b'"})
    void a_header_of_the_handler_or_a_fixed_one_cannot_be_taken_from_the_record(String names) {
        assertThatThrownBy(() -> settings("/", "headers.X-Key", "x", "recordHeaders", names))
                .isInstanceOf(InvalidSettingException.class).hasMessageContaining("handler.http.recordHeaders");
    }

    @Test
    void attributes_are_not_sent_by_default() throws Exception {
        send(settings("/work"), item(Map.of("color", "blue")));

        assertThat(received.getLast().keySet()).noneMatch(name -> name.startsWith("Spillway-attribute"));
    }

    @Test
    void attributes_that_are_too_large_for_headers_are_final() throws Exception {
        Delivery delivery = item(Map.of("a", "x".repeat(HttpRequests.MAX_ATTRIBUTE_BYTES)));
        Outcome outcome = send(settings("/work", "attributes", "true"), delivery);

        assertThat(outcome).isEqualTo(
                Outcome.dead("The attributes and headers of the item take more than 4096 bytes as HTTP headers"));
    }

    @Test
    void the_url_contains_tenant_and_workload() throws Exception {
        send(settings("/t/{tenant}?w={workload}"), item());

        assertThat(paths.getLast()).isEqualTo("/t/acme?w=mails");
    }

    @Test
    void a_tenant_that_would_leave_the_path_is_final_and_never_sent() throws Exception {
        Delivery delivery = DeliveryBuilder.of("..", "1").build();

        Outcome outcome = send(settings("/t/{tenant}"), delivery);

        assertThat(outcome).isInstanceOf(Outcome.Dead.class);
        assertThat(paths).as("the connection in advance").containsExactly("/t/");
    }

    @ParameterizedTest
    @CsvSource({"400, dead", "500, retry", "503, unavailable"})
    void the_body_of_a_failed_response_is_part_of_the_detail(int code, String outcome) throws Exception {
        status = code;
        body = "{\"error\":\"no such customer\"}\n".getBytes(StandardCharsets.UTF_8);
        String detail = "HTTP status " + code + ": {\"error\":\"no such customer\"}";

        assertThat(send(settings("/work"), item()))
                .isEqualTo(switch (outcome) {
                    case "dead" -> Outcome.dead(detail);
                    case "retry" -> Outcome.retry(detail);
                    default -> Outcome.unavailable(detail);
                });
    }

    @Test
    void a_large_body_is_cut_and_a_successful_one_dropped() throws Exception {
        body = "x".repeat(5_000_000).getBytes(StandardCharsets.UTF_8);
        assertThat(send(settings("/work"), item())).isEqualTo(Outcome.done());

        status = 422;
        assertThat(send(settings("/work"), item()))
                .isEqualTo(Outcome.dead("HTTP status 422: " + "x".repeat(HttpAnswer.MAX_KEPT)));
    }

    private static Outcome send(HttpSettings settings, Delivery delivery) throws Exception {
        try (Handler handler = new HttpHandler(settings, InstantSource.system())) {
            return handler.handle(delivery);
        }
    }

    private HttpSettings settings(String path, String... keysAndValues) {
        return of("http://127.0.0.1:" + server.getAddress().getPort() + path, keysAndValues);
    }

    /** Returns settings with these texts by key, and long timeouts. */
    static HttpSettings of(String url, String... keysAndValues) {
        Map<String, String> values =
                new HashMap<>(Map.of("url", url, "connectTimeout", "30s", "requestTimeout", "30s"));
        for (int i = 0; i < keysAndValues.length; i += 2) {
            values.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return HttpSettings.of(values);
    }

    private static Delivery item() {
        return item(Map.of());
    }

    private static Delivery item(Map<String, String> attributes) {
        return DeliveryBuilder.of("acme", "order-17").workload("mails").attributes(attributes).build();
    }

    private void respond(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            paths.add(exchange.getRequestURI().toString());
            boolean isPost = "POST".equals(exchange.getRequestMethod());
            if (isPost) {
                received.add(Map.copyOf(exchange.getRequestHeaders()));
            }
            exchange.sendResponseHeaders(isPost ? status : 405, isPost && body.length > 0 ? body.length : -1);
            if (isPost && body.length > 0) {
                exchange.getResponseBody().write(body);
            }
        }
    }
}
