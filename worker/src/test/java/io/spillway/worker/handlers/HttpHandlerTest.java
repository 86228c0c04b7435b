package io.spillway.worker.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import io.spillway.worker.Deliveries;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60) // Only against a hang.
class HttpHandlerTest {
    private static final Instant NOW = Instant.parse("2026-11-21T08:00:00Z");
    private static final Duration LONG = Duration.ofSeconds(30);

    private record Received(String method, Map<String, List<String>> headers, byte[] body, int clientPort) {
        String header(String name) {
            return headers.entrySet().stream()
                    .filter(entry -> entry.getKey().equalsIgnoreCase(name))
                    .map(entry -> String.join(",", entry.getValue()))
                    .findFirst()
                    .orElse(null);
        }
    }

    private final List<Received> received = new CopyOnWriteArrayList<>();
    private final CountDownLatch release = new CountDownLatch(1);
    private volatile int status = 200;
    private volatile Map<String, String> responseHeaders = Map.of();
    private volatile boolean hangs;
    private HttpServer server;

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/work", this::respond);
        server.start();
    }

    @AfterEach
    void stop() {
        release.countDown();
        server.stop(0);
    }

    @Test
    void an_item_is_posted_with_its_payload_and_its_fields_as_headers() throws Exception {
        Headers headers = new RecordHeaders()
                .add("traceparent", Deliveries.bytes("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
                .add("tracestate", Deliveries.bytes("vendor=1"))
                .add("something", Deliveries.bytes("else"));
        byte[] payload = {0, 1, (byte) 0xff, 13, 10, 0};

        assertThat(handle(Deliveries.of("application/x-thing; v=1", payload, headers))).isEqualTo(Outcome.done());

        Received post = received.getLast();
        assertThat(post.method()).isEqualTo("POST");
        assertThat(post.body()).isEqualTo(payload);
        assertThat(post.header("Content-Type")).isEqualTo("application/x-thing; v=1");
        assertThat(post.header("Spillway-Tenant")).isEqualTo("acme");
        assertThat(post.header("Spillway-Id")).isEqualTo("order-17");
        assertThat(post.header("Spillway-Workload")).isEqualTo("mails");
        assertThat(post.header("Spillway-Attempt")).isEqualTo("3");
        assertThat(post.header("Spillway-Enqueued-At")).isEqualTo(Long.toString(Deliveries.ENQUEUED.toEpochMilli()));
        assertThat(post.header("Idempotency-Key")).isEqualTo("order-17");
        assertThat(post.header("traceparent")).isEqualTo("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        assertThat(post.header("tracestate")).isEqualTo("vendor=1");
        assertThat(post.header("something")).as("other record headers are not forwarded").isNull();
    }

    @Test
    void the_connection_is_opened_in_advance_and_kept() throws Exception {
        try (Handler handler = handler(url(), LONG, LONG)) {
            assertThat(received).singleElement().extracting(Received::method).isEqualTo("HEAD");
            handler.handle(Deliveries.of("a"));
            handler.handle(Deliveries.of("b"));
        }
        assertThat(received).hasSize(3).extracting(Received::clientPort)
                .containsOnly(received.getFirst().clientPort());
    }

    @ParameterizedTest
    @CsvSource({
        "200, done", "201, done", "202, done", "204, done",
        "301, retry", "302, retry", "307, retry", "308, retry",
        "400, dead", "401, dead", "403, dead", "404, dead", "405, dead",
        "409, dead", "410, dead", "413, dead", "422, dead",
        "408, retry", "425, retry", "429, unavailable",
        "500, retry", "501, retry", "502, unavailable", "503, unavailable", "504, unavailable", "505, retry",
        "599, retry"})
    void the_status_decides_between_done_retry_unavailable_and_dead(int code, String expected) throws Exception {
        status = code;
        responseHeaders = code / 100 == 3 ? Map.of("Location", "/elsewhere") : Map.of();

        Outcome outcome = handle(Deliveries.of("a"));

        switch (expected) {
            case "done" -> assertThat(outcome).isEqualTo(Outcome.done());
            case "dead" -> assertThat(outcome).isEqualTo(Outcome.dead("HTTP status " + code));
            case "unavailable" -> assertThat(outcome).isEqualTo(Outcome.unavailable("HTTP status " + code));
            default -> assertThat(outcome).isEqualTo(Outcome.retry(
                    "HTTP status " + code + (code / 100 == 3 ? " to /elsewhere" : "")));
        }
        assertThat(received).as("a redirect is not followed").hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({"408, false", "425, false", "500, false", "429, true", "502, true", "503, true", "504, true"})
    void retry_after_is_honoured_in_seconds_and_as_a_date(int code, boolean isUnavailable) throws Exception {
        Function<Optional<Duration>, Outcome> expected = after -> isUnavailable
                ? new Outcome.Unavailable(after, "HTTP status " + code)
                : new Outcome.Retry(after, "HTTP status " + code);
        status = code;
        responseHeaders = Map.of("Retry-After", "7");
        assertThat(handle(Deliveries.of("a"))).isEqualTo(expected.apply(Optional.of(Duration.ofSeconds(7))));

        // The JDK's server always sends a Date; the wait is relative to it.
        responseHeaders = Map.of("Retry-After", "Sat, 21 Nov 2099 08:02:00 GMT");
        assertThat(handle(Deliveries.of("a"))).isEqualTo(expected.apply(Optional.of(RetryAfter.LONGEST)));

        responseHeaders = Map.of("Retry-After", "soon");
        assertThat(handle(Deliveries.of("a"))).isEqualTo(expected.apply(Optional.empty()));
    }

    @Test
    void retry_after_is_ignored_in_a_final_response() throws Exception {
        status = 404;
        responseHeaders = Map.of("Retry-After", "7");

        assertThat(handle(Deliveries.of("a"))).isEqualTo(Outcome.dead("HTTP status 404"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain\r\nX-Injected: 1", "text/plain\n", "text/\u00e9", "\u0000", "text/\u4e2d"})
    void a_content_type_that_is_no_header_value_is_final_and_never_sent(String contentType) throws Exception {
        Outcome outcome = handle(Deliveries.of(contentType, new byte[0], new RecordHeaders()));

        assertThat(outcome).isInstanceOfSatisfying(Outcome.Dead.class, dead ->
                assertThat(dead.reason()).contains("content type").doesNotContain("\r", "\n"));
        assertThat(received).extracting(Received::method).containsExactly("HEAD");
    }

    @Test
    void a_trace_that_is_no_header_value_is_omitted_and_the_item_is_sent() throws Exception {
        Headers headers = new RecordHeaders().add("traceparent", Deliveries.bytes("00\r\nX-Injected: 1"));

        assertThat(handle(Deliveries.of("text/plain", new byte[0], headers))).isEqualTo(Outcome.done());
        assertThat(received.getLast().header("traceparent")).isNull();
        assertThat(received.getLast().header("X-Injected")).isNull();
    }

    @Test
    void a_missing_response_is_retried_and_may_be_the_items_fault() throws Exception {
        try (Handler handler = handler(url(), LONG, Duration.ofSeconds(3))) {
            hangs = true;
            assertThat(handler.handle(Deliveries.of("a"))).isEqualTo(Outcome.retry("no response within 3000 ms"));
        }
    }

    @Test
    void a_closed_port_is_unavailable_and_does_not_prevent_the_start() throws Exception {
        int port;
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closed.getLocalPort();
        }
        try (Handler handler = handler("http://127.0.0.1:" + port + "/work", LONG, LONG)) {
            assertThat(handler.handle(Deliveries.of("a"))).isInstanceOfSatisfying(Outcome.Unavailable.class, no ->
                    assertThat(no.detail()).contains("no connection to 127.0.0.1:" + port));
        }
    }

    @Test
    void a_connect_timeout_differs_from_a_missing_response() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            fillBacklog(full, sockets);
            String url = "http://127.0.0.1:" + full.getLocalPort() + "/";
            try (Handler handler = handler(url, Duration.ofMillis(100), LONG)) {
                assertThat(handler.handle(Deliveries.of("a"))).isEqualTo(
                        Outcome.unavailable("no connection to 127.0.0.1:" + full.getLocalPort() + " within 100 ms"));
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void a_connection_that_ends_before_the_response_may_be_the_items_fault() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> closeEach(socket));
            try (Handler handler = handler("http://127.0.0.1:" + socket.getLocalPort() + "/", LONG, LONG)) {
                assertThatThrownBy(() -> handler.handle(Deliveries.of("a"))).as("thrown, so a retry")
                        .isInstanceOf(IOException.class).isNotInstanceOf(ConnectException.class);
            }
        }
    }

    @Test
    void an_interrupt_ends_the_request_and_its_connection() throws Exception {
        CountDownLatch posted = new CountDownLatch(1);
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            FutureTask<Boolean> closed = new FutureTask<>(() -> readUntilClosed(socket, posted));
            Thread.ofVirtual().start(closed);
            try (Handler handler = handler("http://127.0.0.1:" + socket.getLocalPort() + "/", LONG, LONG)) {
                FutureTask<Outcome> attempt = new FutureTask<>(() -> handler.handle(Deliveries.of("a")));
                Thread caller = Thread.ofVirtual().start(attempt);
                posted.await();
                caller.interrupt();

                assertThatThrownBy(attempt::get).hasCauseInstanceOf(InterruptedException.class);
                assertThat(closed.get()).as("the destination sees the end of the connection").isTrue();
            }
        }
    }

    private Outcome handle(Delivery delivery) throws Exception {
        received.clear();
        try (Handler handler = handler(url(), LONG, LONG)) {
            return handler.handle(delivery);
        }
    }

    private String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/work";
    }

    private static Handler handler(String url, Duration connectTimeout, Duration requestTimeout) {
        return new HttpHandler(HttpRequestTest.of(
                url, "connectTimeout", connectTimeout.toMillis() + "ms", "requestTimeout",
                requestTimeout.toMillis() + "ms"), InstantSource.fixed(NOW));
    }

    private void respond(HttpExchange exchange) throws IOException {
        try (exchange) {
            boolean isPost = "POST".equals(exchange.getRequestMethod());
            received.add(new Received(exchange.getRequestMethod(), Map.copyOf(exchange.getRequestHeaders()),
                    exchange.getRequestBody().readAllBytes(), exchange.getRemoteAddress().getPort()));
            if (isPost && hangs) {
                release.await();
            }
            if (isPost) {
                responseHeaders.forEach(exchange.getResponseHeaders()::add);
            }
            exchange.sendResponseHeaders(isPost ? status : 405, -1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes each connection after the first byte of its request, as a server does that crashes. */
    private static void closeEach(ServerSocket server) {
        try {
            while (true) {
                try (Socket connection = server.accept()) {
                    connection.getInputStream().read();
                }
            }
        } catch (IOException closed) {
            // The test has ended.
        }
    }

    /** Responds to the HEAD request, reports the POST, and returns when the client has closed the connection. */
    private static boolean readUntilClosed(ServerSocket server, CountDownLatch posted) throws IOException {
        try (Socket connection = server.accept()) {
            InputStream in = connection.getInputStream();
            StringBuilder request = new StringBuilder();
            for (int c = in.read(); c >= 0; c = in.read()) {
                request.append((char) c);
                if (request.toString().startsWith("HEAD") && request.toString().endsWith("\r\n\r\n")) {
                    connection.getOutputStream().write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    request.setLength(0);
                } else if (request.toString().startsWith("POST")) {
                    posted.countDown();
                }
            }
            return true;
        } catch (IOException reset) {
            return posted.getCount() == 0;
        }
    }

    /** Fills the accept backlog of a socket, so that further connections time out. */
    private static void fillBacklog(ServerSocket full, List<Socket> sockets) throws IOException {
        while (true) {
            Socket socket = new Socket();
            sockets.add(socket);
            try {
                socket.connect(full.getLocalSocketAddress(), 200);
            } catch (SocketTimeoutException e) {
                return;
            }
        }
    }
}
