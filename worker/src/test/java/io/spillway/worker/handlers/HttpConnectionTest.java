package io.spillway.worker.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.handler.BatchHandler;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import io.spillway.worker.Deliveries;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Destinations that close, reset or stop their connections. */
@Timeout(30) // Only against a hang.
class HttpConnectionTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

    private final AtomicInteger posts = new AtomicInteger();
    private final CountDownLatch end = new CountDownLatch(1);
    private ServerSocket server;

    /** What a destination does with a request. */
    private interface Destination {
        /**
         * Responds, or not.
         *
         * @param request number of the request on its connection, from 0
         * @return whether the connection stays open
         */
        boolean respond(Socket connection, int request) throws IOException, InterruptedException;
    }

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void stop() throws IOException {
        end.countDown();
        server.close();
    }

    @ParameterizedTest
    @CsvSource({"200, stall", "200, cut", "200, drip", "200, chunk", "503, stall", "503, cut", "503, drip",
        "503, chunk"})
    void the_status_decides_whatever_becomes_of_the_body(int status, String body) throws Exception {
        serve((connection, request) -> {
            boolean isChunked = body.equals("chunk");
            write(connection, "HTTP/1.1 " + status + " X\r\n"
                    + (isChunked ? "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\nno size\r\n"
                            : "Content-Length: 100\r\n\r\nok"));
            while (body.equals("drip") && !end.await(50, TimeUnit.MILLISECONDS)) {
                write(connection, ".");
            }
            if (body.equals("stall")) {
                end.await();
            }
            return isChunked;
        });
        try (Handler handler = handler()) {
            Outcome outcome = handler.handle(Deliveries.of("a"));
            if (status == 200) {
                assertThat(outcome).isEqualTo(Outcome.done());
            } else {
                assertThat(outcome).isInstanceOfSatisfying(Outcome.Unavailable.class,
                        no -> assertThat(no.detail()).matches("HTTP status 503(: ok\\.*)?"));
            }
            assertThat(posts).hasValue(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"stall", "cut", "chunk", "long"})
    void a_call_for_many_items_fails_if_the_body_of_its_answer_does_not_come_in_full(String body) throws Exception {
        serve((connection, request) -> {
            boolean isChunked = body.equals("chunk");
            write(connection, "HTTP/1.1 200 OK\r\n" + (isChunked ? "Transfer-Encoding: chunked\r\n\r\nno size\r\n"
                    : "Content-Length: " + 2 * HttpBatchHandler.MAX_ANSWER + "\r\n\r\n"));
            if (body.equals("long")) {
                write(connection, " ".repeat(2 * HttpBatchHandler.MAX_ANSWER));
            }
            if (body.equals("stall")) {
                end.await();
            }
            return isChunked;
        });
        try (BatchHandler handler = new HttpBatchHandler(handler(), 10)) {
            assertThatThrownBy(() -> handler.handleAll(List.of(Deliveries.of("a"), Deliveries.of("b"))))
                    .isInstanceOf(IOException.class).hasMessageStartingWith("The answer did not come in full");
            assertThat(posts).as("not sent again").hasValue(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_request_on_a_kept_connection_that_was_closed_is_sent_again_on_a_new_one(boolean reset) throws Exception {
        serve((connection, request) -> {
            if (request > 0) {
                // As if it had been closed before the request came.
                connection.setSoLinger(reset, 0);
                return false;
            }
            write(connection, OK);
            return true;
        });
        try (Handler handler = handler()) {
            for (int i = 0; i < 20; i++) {
                assertThat(handler.handle(Deliveries.of("a"))).as("item %s", i).isEqualTo(Outcome.done());
            }
        }
    }

    @Test
    void a_connection_that_ends_within_the_response_is_not_sent_again() throws Exception {
        serve((connection, request) -> {
            write(connection, "HTTP/1.1 200 OK\r\nContent-");
            return false;
        });
        try (Handler handler = handler()) {
            assertThatThrownBy(() -> handler.handle(Deliveries.of("a"))).isInstanceOf(IOException.class);
            assertThat(posts).hasValue(1);
        }
    }

    @Test
    void an_item_that_closes_every_connection_is_sent_twice_and_may_be_the_cause() throws Exception {
        serve((connection, request) -> false);
        try (Handler handler = handler()) {
            assertThatThrownBy(() -> handler.handle(Deliveries.of("a"))).as("thrown, so a retry")
                    .isInstanceOf(IOException.class);
            assertThat(posts).hasValue(2);
        }
    }

    private HttpHandler handler() {
        return new HttpHandler(
                HttpRequestTest.of("http://127.0.0.1:" + server.getLocalPort() + "/"), InstantSource.system());
    }

    private void serve(Destination destination) {
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    Socket connection = server.accept();
                    Thread.ofVirtual().start(() -> serve(connection, destination));
                }
            } catch (IOException closed) {
                // The test has ended.
            }
        });
    }

    private void serve(Socket connection, Destination destination) {
        try (connection) {
            BufferedReader in = new BufferedReader(
                    new InputStreamReader(connection.getInputStream(), StandardCharsets.ISO_8859_1));
            boolean isOpen = true;
            for (int request = 0; isOpen; request++) {
                String first = in.readLine();
                int length = 0;
                for (String line = first; line != null && !line.isEmpty(); line = in.readLine()) {
                    length = line.startsWith("Content-Length: ") ? Integer.parseInt(line.substring(16)) : length;
                }
                in.skip(length);
                if (first == null) {
                    return;
                }
                if (first.startsWith("HEAD")) {
                    write(connection, OK);
                } else {
                    posts.incrementAndGet();
                    isOpen = destination.respond(connection, request);
                }
            }
        } catch (IOException closed) {
            // By the handler, which may.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void write(Socket connection, String text) throws IOException {
        OutputStream out = connection.getOutputStream();
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }
}
