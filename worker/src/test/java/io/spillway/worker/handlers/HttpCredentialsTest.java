package io.spillway.worker.handlers;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.spillway.handler.DeliveryBuilder;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Credentials of a destination that change while the worker runs. */
@Timeout(60) // Only against a hang.
class HttpCredentialsTest {
    private final AtomicLong nowMillis = new AtomicLong(1_795_000_000_000L);
    private final List<String> received = new CopyOnWriteArrayList<>();
    private volatile String accepted = "Bearer one";
    private volatile int refusal = 401;
    private HttpServer server;

    @TempDir
    private Path directory;

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.getRequestBody().readAllBytes();
                String given = exchange.getRequestHeaders().getFirst("Authorization");
                if ("POST".equals(exchange.getRequestMethod())) {
                    received.add(given);
                }
                exchange.sendResponseHeaders(accepted.equals(given) ? 200 : refusal, -1);
            }
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void a_secret_that_is_refused_is_read_again_and_the_item_sent_again() throws Exception {
        try (Handler handler = handler()) {
            assertThat(handle(handler, 1)).isEqualTo(Outcome.done());
            write("two");
            accepted = "Bearer two";
            assertThat(handle(handler, 1)).isEqualTo(Outcome.done());
            assertThat(received).containsExactly("Bearer one", "Bearer one", "Bearer two");
        }
    }

    @Test
    void a_secret_is_read_again_within_a_second_of_a_change() throws Exception {
        try (Handler handler = handler()) {
            handle(handler, 1);
            write("two");
            nowMillis.addAndGet(1_000);
            refusal = 500;
            accepted = "Bearer two";
            assertThat(handle(handler, 1)).isEqualTo(Outcome.done());
            assertThat(received).containsExactly("Bearer one", "Bearer two");
        }
    }

    @Test
    void a_file_that_cannot_be_used_changes_nothing() throws Exception {
        try (Handler handler = handler()) {
            Files.writeString(directory.resolve("token"), "");
            nowMillis.addAndGet(1_000);
            assertThat(handle(handler, 1)).as("as while it is written").isEqualTo(Outcome.done());
            Files.delete(directory.resolve("token"));
            nowMillis.addAndGet(1_000);
            assertThat(handle(handler, 1)).isEqualTo(Outcome.done());
            write("two");
            accepted = "Bearer two";
            nowMillis.addAndGet(1_000);
            assertThat(handle(handler, 1)).isEqualTo(Outcome.done());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403})
    void a_destination_that_has_worked_and_refuses_is_unavailable(int status) throws Exception {
        refusal = status;
        try (Handler handler = handler()) {
            handle(handler, 1);
            accepted = "another";
            for (int attempt = 1; attempt < 9; attempt++) {
                assertThat(handle(handler, attempt)).isEqualTo(Outcome.unavailable("HTTP status " + status));
            }
            accepted = "Bearer one";
            assertThat(handle(handler, 9)).isEqualTo(Outcome.done());
        }
    }

    @Test
    void an_item_that_is_refused_while_others_are_accepted_may_be_the_cause() throws Exception {
        try (Handler handler = handler()) {
            handle(handler, 1);
            accepted = "another";
            assertThat(handle(handler, 1)).isInstanceOf(Outcome.Unavailable.class);
            accepted = "Bearer one";
            handle(handler, 1);
            accepted = "another";
            assertThat(handle(handler, 2)).isEqualTo(Outcome.retry("HTTP status 401"));
        }
    }

    @Test
    void a_destination_that_has_never_worked_refuses_for_good() throws Exception {
        accepted = "another";
        try (Handler handler = handler()) {
            assertThat(handle(handler, 1)).isEqualTo(Outcome.dead("HTTP status 401"));
        }
    }

    @Test
    void addresses_are_looked_up_again_by_new_connections_every_five_minutes() throws Exception {
        List<Integer> ports = new CopyOnWriteArrayList<>();
        server.createContext("/ports", exchange -> {
            try (exchange) {
                exchange.getRequestBody().readAllBytes();
                ports.add(exchange.getRemoteAddress().getPort());
                exchange.sendResponseHeaders(200, -1);
            }
        });
        try (Handler handler = handler("/ports")) {
            handle(handler, 1);
            nowMillis.addAndGet(HttpSender.RENEWED_MILLIS - 1);
            handle(handler, 1);
            assertThat(ports).as("with the one in advance").hasSize(3).containsOnly(ports.getFirst());
            nowMillis.addAndGet(1_000);
            handle(handler, 1);
            assertThat(ports.getLast()).isNotEqualTo(ports.getFirst());
        }
    }

    private Handler handler() throws IOException {
        return handler("/");
    }

    private Handler handler(String path) throws IOException {
        write("one");
        HttpSettings settings = HttpRequestTest.of("http://127.0.0.1:" + server.getAddress().getPort() + path,
                "secretHeaders.Authorization", directory.resolve("token").toString());
        return new HttpHandler(settings, () -> Instant.ofEpochMilli(nowMillis.get()));
    }

    /** Replaces the file, as mounted secrets are. */
    private void write(String token) throws IOException {
        Path next = Files.writeString(directory.resolve("next"), "Bearer " + token + "\n");
        Files.move(next, directory.resolve("token"), StandardCopyOption.REPLACE_EXISTING);
    }

    private static Outcome handle(Handler handler, int attempt) throws Exception {
        return handler.handle(DeliveryBuilder.of("acme", "order-17").attempt(attempt).build());
    }
}
