package io.spillway.worker.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.spillway.handler.BatchHandler;
import io.spillway.handler.Delivery;
import io.spillway.handler.Outcome;
import io.spillway.worker.Deliveries;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several items in one request of handler type http. */
@Timeout(60) // Only against a hang.
class HttpBatchHandlerTest {
    private HttpServer server;
    private BatchHandler handler;
    private volatile int status = 200;
    private volatile String answer = "";
    private volatile String body = "";
    private volatile Map<String, List<String>> headers = Map.of();

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::respond);
        server.start();
        HttpSettings settings = HttpSettings.of(Map.of(
                "url", "http://127.0.0.1:" + server.getAddress().getPort() + "/{tenant}", "maxItems", "10",
                "headers.X-A", "b"));
        handler = new HttpBatchHandler(new HttpHandler(settings, InstantSource.system()), settings.maxItems());
    }

    @AfterEach
    void stop() {
        handler.close();
        server.stop(0);
    }

    @Test
    void the_items_are_a_json_array_with_text_or_base64_as_the_payload() throws Exception {
        assertThat(handler.handleAll(List.of(
                        Deliveries.of("application/json", Deliveries.bytes("{}"), new RecordHeaders()),
                        Deliveries.of("application/octet-stream", new byte[] {1}, new RecordHeaders()))))
                .containsExactly(Outcome.done(), Outcome.done());

        JsonNode items = new JsonMapper().readTree(body);
        assertThat(items).hasSize(2);
        assertThat(items.get(0).get("id").textValue()).isEqualTo("order-17");
        assertThat(items.get(0).get("attempt").intValue()).isEqualTo(3);
        assertThat(items.get(0).get("payload").textValue()).isEqualTo("{}");
        assertThat(items.get(1).get("payloadBase64").textValue()).isEqualTo("AQ==");
        assertThat(headers).containsEntry("Content-type", List.of("application/json"))
                .containsEntry("Spillway-items", List.of("2")).containsEntry("Spillway-tenant", List.of("acme"))
                .containsEntry("X-a", List.of("b")).doesNotContainKey("Idempotency-key");
    }

    @Test
    void each_item_has_its_own_outcome() throws Exception {
        answer = """
                [{"outcome": "done"}, {"outcome": "retry", "detail": "busy", "afterMillis": 5},
                 {"outcome": "unavailable"}, {"outcome": "later", "afterMillis": 7},
                 {"outcome": "dead", "reason": "no such order"}, {"outcome": "gone"}, 17,
                 {"outcome": "retry", "afterMillis": -1}]""";

        assertThat(handler.handleAll(items(8))).containsExactly(
                Outcome.done(), Outcome.retry(Duration.ofMillis(5), "busy"), Outcome.unavailable(""),
                Outcome.later(Duration.ofMillis(7)), Outcome.dead("no such order"),
                Outcome.retry("The outcome of the answer must be done, retry, unavailable, later or dead"),
                Outcome.retry("The outcome of the answer must be done, retry, unavailable, later or dead"),
                Outcome.retry("afterMillis of the answer must be a whole number from 0 to 2592000000"));
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', value = {
        "200 | [{\"outcome\":\"done\"}] | The answer must be a JSON array of 2 outcomes, or empty",
        "200 | {}                       | The answer must be a JSON array of 2 outcomes, or empty",
        "200 | ok                       | The answer is not JSON",
        "500 | broken                   | HTTP status 500: broken",
        "404 | broken                   | HTTP status 404: broken",
    })
    void an_answer_that_says_nothing_of_a_single_item_fails_the_call(int given, String text, String message) {
        status = given;
        answer = text;
        assertThatThrownBy(() -> handler.handleAll(items(2))).isInstanceOf(IOException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void a_destination_that_cannot_work_is_so_for_all_items() throws Exception {
        status = 503;
        assertThat(handler.handleAll(items(2)))
                .containsExactly(Outcome.unavailable("HTTP status 503"), Outcome.unavailable("HTTP status 503"));
    }

    @Test
    void the_status_of_a_request_for_one_item_is_about_this_item() throws Exception {
        status = 404;
        assertThat(handler.handle(Deliveries.of("x"))).isEqualTo(Outcome.dead("HTTP status 404"));
        assertThat(new JsonMapper().readTree(body)).as("an array too").hasSize(1);
    }

    @Test
    void items_that_do_not_fit_into_one_request_are_put_off() throws Exception {
        Delivery half = Deliveries.of("text/plain", new byte[HttpBatchHandler.MAX_BYTES / 2], new RecordHeaders());
        assertThat(handler.handleAll(List.of(half, half, Deliveries.of("x"))))
                .containsExactly(Outcome.done(), Outcome.done(), Outcome.later(Duration.ZERO));
        assertThat(headers).containsEntry("Spillway-items", List.of("2"));
    }

    private static List<Delivery> items(int count) {
        return Collections.nCopies(count, Deliveries.of("x"));
    }

    private void respond(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (exchange.getRequestMethod().equals("HEAD")) {
                exchange.sendResponseHeaders(200, -1);
                return;
            }
            body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            headers = Map.copyOf(exchange.getRequestHeaders());
            byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }
}
