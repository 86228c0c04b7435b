package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that connect and send nothing, or not enough, keep no other from being served. */
@Timeout(120) // Against a hang; nothing is measured.
class SilentConnectionsTest {
    private static final int CONNECTIONS = 100;
    private static final String LIVE = "GET /livez HTTP/1.1\r\nHost: h\r\n\r\n";

    private final List<Socket> sockets = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "GET /livez HT", "GET /livez HTTP/1.1\r\n", "GET /livez HTTP/1.1\r\nHost: h\r\nX: ", LIVE})
    void a_request_is_answered_while_more_peers_than_the_limit_hold_connections(String sent) throws IOException {
        try (GatewayUnderTest gateway = new GatewayUnderTest(
                true, "gateway.limits.connections", Integer.toString(CONNECTIONS))) {
            for (int i = 0; i < 2 * CONNECTIONS; i++) {
                write(connect(gateway, "127.0.0.1"), sent);
            }
            assertThat(livez(gateway)).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "POST /v1/items HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n",
        "POST /v1/items HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n",
        "POST /v1/items HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer wrong\r\nContent-Length: 4000000\r\n\r\nx",
        "POST /admin/actions HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\nx",
        "GET /livez HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n"})
    void a_sender_without_a_key_is_answered_before_its_body_and_holds_no_connection(String head) throws IOException {
        try (GatewayUnderTest gateway = new GatewayUnderTest(
                true, "gateway.limits.connections", Integer.toString(CONNECTIONS),
                "gateway.limits.bodyTimeout", "120s")) {
            for (int i = 0; i < 2 * CONNECTIONS; i++) {
                write(connect(gateway, "127.0.0.1"), head);
            }
            assertThat(livez(gateway)).isEqualTo(200);
            Socket last = connect(gateway, "127.0.0.1");
            write(last, head);
            assertThat(answer(last)).startsWith("HTTP/1.1 " + (head.startsWith("GET") ? 200 : 401));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "/v1/items:batch HTTP/1.1\r\nContent-Length: 4194304\r\n", "/v1/items HTTP/1.1\r\nContent-Length: 1048576\r\n",
        "/v1/items HTTP/1.1\r\nTransfer-Encoding: chunked\r\n",
        "/v1/items HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n"
    })
    void slow_bodies_of_two_tenants_leave_memory_for_a_third(String form) throws IOException {
        try (GatewayUnderTest gateway = new GatewayUnderTest(
                true, "gateway.limits.bytesInFlight", "8388608", "gateway.limits.bodyTimeout", "120s",
                "gateway.limits.drainGrace", "100ms")) {
            for (String tenant : List.of("slow", "slower")) {
                String auth = "\r\nHost: h\r\nAuthorization: Bearer " + gateway.key(tenant) + "\r\n";
                for (int i = 0; i < 16; i++) {
                    write(connect(gateway, "127.0.0.1"), "POST " + form.replaceFirst("\r\n", auth) + "\r\nx");
                }
            }
            String third = gateway.key("third");
            assertThat(gateway.post(third, "x").statusCode()).isEqualTo(202);
            assertThat(gateway.post(third, "x".repeat(1_048_576)).statusCode()).isEqualTo(202);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 4194304\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n400000\r\n"})
    void what_has_arrived_of_a_tenants_bodies_is_limited_while_others_are_served(String framing) throws IOException {
        try (GatewayUnderTest gateway = new GatewayUnderTest(
                true, "gateway.limits.bytesInFlight", "8388608", "gateway.limits.bodyTimeout", "120s",
                "gateway.limits.drainGrace", "100ms")) {
            String head = "POST /v1/items:batch HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + gateway.key("greedy")
                    + "\r\n" + framing;
            List<Socket> greedy = List.of(connect(gateway, "127.0.0.1"), connect(gateway, "127.0.0.1"));
            for (Socket socket : greedy) {
                write(socket, head + "x".repeat(4_194_303));
            }
            assertThat(answer(greedy.get(1))).startsWith("HTTP/1.1 503");
            assertThat(gateway.post(gateway.key("third"), "x".repeat(1_048_576)).statusCode()).isEqualTo(202);
            assertThat(gateway.send("GET", "/livez", "", "").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void one_address_displaces_no_connection_of_another() throws IOException {
        try (GatewayUnderTest gateway = new GatewayUnderTest(
                true, "gateway.limits.connections", Integer.toString(CONNECTIONS),
                "gateway.limits.addressConnections", "20")) {
            Socket kept = connect(gateway, "127.0.0.2");
            write(kept, LIVE);
            assertThat(answer(kept)).startsWith("HTTP/1.1 200");
            for (int i = 0; i < 3 * CONNECTIONS; i++) {
                connect(gateway, "127.0.0.1");
            }
            assertThat(livez(gateway)).isEqualTo(200);
            write(kept, LIVE);
            assertThat(answer(kept)).as("it has waited longer than all others").startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void a_connection_is_refused_while_all_of_its_address_are_busy_and_others_are_served() throws IOException {
        try (GatewayUnderTest gateway = new GatewayUnderTest(false, "gateway.limits.addressConnections", "3",
                "gateway.limits.confirmTimeout", "120s")) {
            String item = "POST /v1/items HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + gateway.key("acme")
                    + "\r\nContent-Length: 1\r\n\r\nx";
            List<Socket> busy = List.of(
                    connect(gateway, "127.0.0.2"), connect(gateway, "127.0.0.2"), connect(gateway, "127.0.0.2"));
            for (Socket socket : busy) {
                write(socket, item);
            }
            while (gateway.stored().size() < 3) {
                Thread.onSpinWait();
            }
            assertThat(answer(connect(gateway, "127.0.0.2"))).as("the fourth").isEmpty();
            assertThat(livez(gateway)).as("another address").isEqualTo(200);
            while (gateway.kafka.completeNext()) {
                Thread.onSpinWait();
            }
            for (Socket socket : busy) {
                assertThat(answer(socket)).startsWith("HTTP/1.1 202");
            }
            Socket next = connect(gateway, "127.0.0.2");
            write(next, LIVE);
            assertThat(answer(next)).as("one of the idle ones is closed for it").startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void a_silent_connection_is_closed_after_the_body_timeout() throws IOException {
        try (GatewayUnderTest gateway = new GatewayUnderTest(true)) {
            Socket silent = connect(gateway, "127.0.0.1");
            Socket served = connect(gateway, "127.0.0.1");
            write(served, LIVE);
            assertThat(answer(served)).startsWith("HTTP/1.1 200");

            gateway.skippedNanos.addAndGet(TimeUnit.SECONDS.toNanos(16));

            assertThat(answer(silent)).isEmpty();
            write(served, LIVE);
            assertThat(answer(served)).as("may be idle for longer").startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void a_response_that_is_not_read_is_given_up_after_the_idle_timeout() throws IOException {
        try (GatewayUnderTest gateway = new GatewayUnderTest(true)) {
            // More than the buffers of both sockets hold.
            gateway.metricsText = "x".repeat(64 * 1024 * 1024);
            Socket deaf = connect(gateway, "127.0.0.1");
            write(deaf, "GET /metrics HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + GatewayUnderTest.ADMIN_KEY
                    + "\r\n\r\n");
            assertThat(deaf.getInputStream().read()).as("the response has begun").isEqualTo('H');

            gateway.skippedNanos.addAndGet(TimeUnit.SECONDS.toNanos(61));

            assertThatThrownBy(() -> {
                while (!Thread.interrupted()) {
                    deaf.getOutputStream().write('\n');
                    LockSupport.parkNanos(1_000_000);
                }
            }).as("the gateway has closed the connection").isInstanceOf(SocketException.class);
        }
    }

    @Test
    void an_unfinished_tls_handshake_is_closed_after_the_body_timeout(@TempDir Path directory) throws Exception {
        Path store = GatewayTlsTest.createStore(directory);
        try (GatewayUnderTest gateway = new GatewayUnderTest(true, "gateway.tls.keystoreFile", store.toString(),
                "gateway.tls.keystorePassword", GatewayTlsTest.PASSWORD)) {
            Socket silent = connect(gateway, "127.0.0.1");
            Socket half = connect(gateway, "127.0.0.1");
            // The header of a handshake record, without its content.
            half.getOutputStream().write(new byte[] {22, 3, 1, 2, 0});
            Socket plain = connect(gateway, "127.0.0.1");
            write(plain, LIVE);
            assertThat(answer(plain)).as("closed after the two before it were accepted").doesNotContain("HTTP");

            gateway.skippedNanos.addAndGet(TimeUnit.SECONDS.toNanos(16));

            assertThat(answer(silent)).isEmpty();
            assertThat(answer(half)).doesNotContain("HTTP");
        }
    }

    private Socket connect(GatewayUnderTest gateway, String from) throws IOException {
        Socket socket = new Socket(
                InetAddress.getByName("127.0.0.1"), gateway.port(), InetAddress.getByName(from), 0);
        socket.setSoTimeout(20_000);
        sockets.add(socket);
        return socket;
    }

    private static void write(Socket socket, String text) throws IOException {
        try {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        } catch (SocketException displaced) {
            // The gateway has closed it already.
        }
    }

    /** Reads a response; empty if the connection ends without one. */
    private static String answer(Socket socket) throws IOException {
        try {
            InputStream in = socket.getInputStream();
            int first = in.read();
            byte[] more = new byte[first < 0 ? 0 : Math.max(1, in.available())];
            return first < 0 ? "" : (char) first + new String(more, 0, in.read(more), StandardCharsets.US_ASCII);
        } catch (SocketException reset) {
            return "";
        }
    }

    private static int livez(GatewayUnderTest gateway) {
        HttpResponse<String> answer = gateway.send(HttpRequest.newBuilder(URI.create(gateway.url + "/livez"))
                .timeout(Duration.ofSeconds(60))
                .build());
        return answer.statusCode();
    }
}
