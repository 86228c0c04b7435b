package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Forms of requests that monitors, proxies and log shippers send. */
@Timeout(120) // Against a hang; nothing is measured.
class HttpFormsTest {
    private final GatewayUnderTest gateway = new GatewayUnderTest(true);
    private final String auth = "Authorization: Bearer " + gateway.key("acme") + "\r\n";

    @AfterEach
    void close() {
        gateway.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/livez", "/readyz", "/metrics", "/admin/depths", "/console"})
    void head_has_the_answer_of_get_without_its_body(String path) throws IOException {
        String fields = " HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: Bearer "
                + GatewayUnderTest.ADMIN_KEY + "\r\n\r\n";
        String get = talk("GET " + path + fields);
        String head = talk("HEAD " + path + fields);

        int end = get.indexOf("\r\n\r\n") + 4;
        assertThat(get).startsWith("HTTP/1.1 200").hasSizeGreaterThan(end);
        assertThat(head).startsWith("HTTP/1.1 200").endsWith("\r\n\r\n")
                .contains("Content-Length: " + get.substring(end).getBytes(StandardCharsets.ISO_8859_1).length + "\r\n");
    }

    @Test
    void a_connection_serves_further_requests_after_a_head() throws IOException {
        String answers = talk("HEAD /livez HTTP/1.1\r\nHost: h\r\n\r\nHEAD /nothing HTTP/1.1\r\nHost: h\r\n\r\n"
                + "GET /livez HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");

        assertThat(answers.lines().filter(line -> line.startsWith("HTTP/1.1 ")))
                .containsExactly("HTTP/1.1 200 OK", "HTTP/1.1 404 Not Found", "HTTP/1.1 200 OK");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "GET /livez HTTP/1.0\r\n\r\n",
        "GET /readyz HTTP/1.0\r\nUser-Agent: check\r\n\r\n",
        "GET /livez HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\nKeep-Alive: 5\r\n\r\n",
        "HEAD /livez HTTP/1.0\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
        "GET http://h:8080/livez HTTP/1.0\r\n\r\n",
        "GET HTTP://h/livez HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
    })
    void a_probe_is_answered_and_its_connection_closed(String request) throws IOException {
        try (Socket socket = gateway.connect()) {
            for (byte each : request.getBytes(StandardCharsets.US_ASCII)) {
                socket.getOutputStream().write(each);
            }
            assertThat(readAll(socket)).startsWith("HTTP/1.1 200").contains("Connection: close\r\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "POST /v1/items HTTP/1.0\r\nHost: h\r\nConnection: close\r\n",
        "POST /v1/items HTTP/1.0\r\nExpect: 100-continue\r\n",
        "POST http://127.0.0.1:8080/v1/items HTTP/1.1\r\nHost: h\r\nConnection: close\r\n",
        "POST https://queue.example/v1/items HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
    })
    void a_proxy_stores_an_item(String head) throws IOException {
        assertThat(talk(head + auth + "Content-Length: 3\r\n\r\none")).startsWith("HTTP/1.1 202");
        assertThat(gateway.stored()).singleElement().satisfies(record ->
                assertThat(GatewayUnderTest.item(record.value()).payload()).isEqualTo("one"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/items%3Abatch", "/v1/items%3abatch"})
    void an_escaped_colon_is_a_colon(String path) {
        assertThat(gateway.send("POST", path, auth.split(" ")[2].strip(), "{\"payload\":\"x\"}").statusCode())
                .isEqualTo(200);
        assertThat(gateway.stored()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "POST /v1/items HTTP/1.0\r\nTransfer-Encoding: chunked\r\n%s\r\n1\r\nx\r\n0\r\n\r\n",
        "POST /v1/items HTTP/1.0\r\nConnection: x\r\n Content-Length: 9\r\n%sContent-Length: 1\r\n\r\nx",
        "POST ftp://h/v1/items HTTP/1.1\r\nHost: h\r\nConnection: close\r\n%sContent-Length: 1\r\n\r\nx",
        "POST http:///v1/items HTTP/1.1\r\nHost: h\r\nConnection: close\r\n%sContent-Length: 1\r\n\r\nx",
        "POST /v1/items%%2Fbatch HTTP/1.1\r\nHost: h\r\nConnection: close\r\n%sContent-Length: 1\r\n\r\nx"
    })
    void a_form_that_may_mean_two_things_is_refused(String request) throws IOException {
        assertThat(talk(String.format(request, auth))).startsWith("HTTP/1.1 4");
        assertThat(gateway.stored()).isEmpty();
    }

    @Test
    void what_follows_the_last_answer_of_a_connection_is_not_read_as_a_request() throws IOException {
        String hidden = "POST /v1/items HTTP/1.1\r\nHost: h\r\n" + auth + "Content-Length: 1\r\n\r\nx";

        String answers = talk("POST /v1/items HTTP/1.1\r\nHost: h\r\nContent-Length: 5000000\r\n\r\n" + hidden);

        assertThat(answers.lines().filter(line -> line.startsWith("HTTP/1.1 "))).hasSize(1);
        assertThat(gateway.stored()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "GZIP", "x-gzip"})
    void a_compressed_body_is_stored_as_it_was(String encoding) throws IOException {
        String one = "{\"payload\":\"" + "x".repeat(100_000) + "\"}\n";
        byte[] members = concat(gzip(one), gzip(one));

        assertThat(post("/v1/items:batch", encoding, members, false)).startsWith("HTTP/1.1 200");
        assertThat(post("/v1/items", encoding, gzip("two"), true)).startsWith("HTTP/1.1 202");
        assertThat(gateway.stored().stream().map(record -> GatewayUnderTest.item(record.value()).payload().length()))
                .containsExactly(100_000, 100_000, 3);
    }

    @Test
    void a_compressed_body_is_limited_by_what_it_holds() throws IOException {
        byte[] bomb = gzip("x".repeat(1_048_577));

        assertThat(bomb).hasSizeLessThan(2_000);
        assertThat(post("/v1/items", "gzip", bomb, false)).startsWith("HTTP/1.1 413").contains("1048576 bytes");
        assertThat(gateway.stored()).isEmpty();
    }

    @Test
    void a_body_that_cannot_be_decompressed_is_refused_with_the_cause() throws IOException {
        ByteArrayOutputStream deflated = new ByteArrayOutputStream();
        try (OutputStream out = new DeflaterOutputStream(deflated)) {
            out.write(1);
        }
        byte[] whole = gzip("x".repeat(1_000));
        for (String encoding : List.of("deflate", "zstd", "br", "gzip, gzip")) {
            assertThat(post("/v1/items", encoding, deflated.toByteArray(), false)).startsWith("HTTP/1.1 415")
                    .contains("unsupported-encoding", "Accept-Encoding: gzip\r\n", "must be gzip");
        }
        assertThat(post("/v1/items", "gzip", "plain".getBytes(StandardCharsets.US_ASCII), false))
                .startsWith("HTTP/1.1 400").contains("not valid gzip");
        assertThat(post("/v1/items", "gzip", Arrays.copyOf(whole, whole.length - 9), false))
                .startsWith("HTTP/1.1 400");
        assertThat(post("/v1/items", "identity", whole, false)).as("no encoding").startsWith("HTTP/1.1 202");
        assertThat(gateway.stored()).hasSize(1);
    }

    @Test
    void an_idle_connection_is_kept_for_longer_than_load_balancers_keep_theirs() throws IOException {
        String livez = "GET /livez HTTP/1.1\r\nHost: h\r\n";
        // The gateway accepts one after the other: it knows the first one when it answers the second one.
        try (Socket silent = gateway.connect(); Socket socket = gateway.connect()) {
            socket.getOutputStream().write((livez + "\r\n").getBytes(StandardCharsets.US_ASCII));
            byte[] first = socket.getInputStream().readNBytes(17);
            assertThat(new String(first, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 200 OK\r\n");
            while (!gateway.gateway.connections.isIdle(socket.getLocalSocketAddress())) {
                Thread.onSpinWait(); // The client reads the response before the gateway notes its end.
            }
            gateway.skippedNanos.addAndGet(TimeUnit.SECONDS.toNanos(610));
            assertThat(silent.getInputStream().read()).as("closed by the check of all connections").isNegative();
            socket.getOutputStream().write(
                    (livez + "Connection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            assertThat(readAll(socket)).contains("HTTP/1.1 200 OK\r\n");
        }
    }

    private String post(String path, String encoding, byte[] body, boolean isChunked) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        String framing = isChunked ? "Transfer-Encoding: chunked\r\n\r\n" + Integer.toHexString(body.length) + "\r\n"
                : "Content-Length: " + body.length + "\r\n\r\n";
        all.writeBytes(("POST " + path + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n" + auth + "Content-Encoding: "
                + encoding + "\r\n" + framing).getBytes(StandardCharsets.US_ASCII));
        all.writeBytes(body);
        all.writeBytes((isChunked ? "\r\n0\r\n\r\n" : "").getBytes(StandardCharsets.US_ASCII));
        try (Socket socket = gateway.connect()) {
            socket.getOutputStream().write(all.toByteArray());
            return readAll(socket);
        }
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.US_ASCII));
        }
        return bytes.toByteArray();
    }

    private static byte[] concat(byte[] one, byte[] other) {
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.writeBytes(one);
        both.writeBytes(other);
        return both.toByteArray();
    }

    /** Sends a text and reads until the gateway closes the connection. */
    private String talk(String request) throws IOException {
        try (Socket socket = gateway.connect()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return readAll(socket);
        }
    }

    private static String readAll(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }
}
