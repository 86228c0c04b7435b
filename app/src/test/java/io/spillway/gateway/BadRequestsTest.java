package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.Seed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalid requests, written directly to the socket. */
@Timeout(300) // Against a hang; nothing is measured.
class BadRequestsTest {
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 (\\d{3})");
    private static final Pattern ACCEPTED = Pattern.compile("\"id\":\"([^\"]+)\"");

    private final Seed seed = new Seed();
    private final GatewayUnderTest gateway = new GatewayUnderTest(true);
    private final String key = gateway.key("acme");
    private final String head = "POST /v1/items HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + key + "\r\n";

    @AfterEach
    void close() {
        gateway.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET\r\n\r\n",
                "\r\n\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
                "GET / HTTP/9.9\r\nHost: h\r\n\r\n",
                "get / http/1.1\r\nHost: h\r\n\r\n",
                "POST /v1/items HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
                "POST /v1/items HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n",
                "POST /v1/items HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                "POST /v1/items HTTP/1.1\r\n"
                        + "Host: h\r\n"
                        + "Content-Length: 5\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n"
                        + "0\r\n\r\n",
                "POST /v1/items HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                "POST /v1/items HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\n",
                "POST /v1/items HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n",
                "POST /v1/items HTTP/1.1\r\nHost: h\r\nA b: c\r\n\r\n",
                "POST /v1/items HTTP/1.1\r\nHost: h\r\n: c\r\n\r\n",
                "POST /v1/items HTTP/1.1\r\nHost: h\r\nA: \u0001\r\n\r\n",
                "POST /../../etc HTTP/1.1\r\nHost: h\r\n\r\n",
                "PO\u0000ST /v1/items HTTP/1.1\r\nHost: h\r\n\r\n",
                "\u0016\u0003\u0001\u0002",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n",
                "GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n"
            })
    void invalid_http_gets_a_client_error_or_a_closed_connection(String raw) throws IOException {
        List<Integer> statuses = statusesOf(talk(raw.getBytes(StandardCharsets.ISO_8859_1)));

        assertThat(statuses).allMatch(status -> status >= 400 && status < 500);
        assertThat(gateway.stored()).isEmpty();
    }

    @Test
    void the_sender_of_a_large_item_with_a_wrong_key_gets_its_answer() {
        for (int i = 0; i < 20; i++) {
            assertThat(gateway.post("a-wrong-key-of-16", "x".repeat(1_000_000)).statusCode()).isEqualTo(401);
        }
    }

    @Test
    void headers_over_the_limit_are_rejected() throws IOException {
        for (String raw : List.of(
                head + "X: " + "x".repeat(40_000) + "\r\n\r\n",
                head + "X: x\r\n".repeat(10_000) + "\r\n",
                "GET /" + "x".repeat(10_000) + " HTTP/1.1\r\nHost: h\r\n\r\n")) {
            assertThat(statusesOf(talk(raw.getBytes(StandardCharsets.US_ASCII))))
                    .allMatch(status -> status >= 400 && status < 500);
        }
        assertThat(gateway.stored()).isEmpty();
    }

    @Test
    void an_incomplete_request_is_rejected_after_its_timeout() throws IOException {
        // Its own gateway: on a slow machine, valid requests of other tests might exceed these timeouts.
        try (GatewayUnderTest hasty = new GatewayUnderTest(
                true, "gateway.limits.bodyTimeout", "400ms", "gateway.limits.idleTimeout", "2s")) {
            String known = head.replace(key, hasty.key("acme"));
            for (String raw : List.of(
                    known + "Content-Length: 10\r\n\r\nabc",
                    known + "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
                    known.replace("/v1/items", "/v1/items:batch") + "Content-Length: 100\r\n\r\n{\"payload\":\"x\"}\n",
                    head.replace(key, "wrong") + "Content-Length: 10\r\n\r\nabc",
                    known + "X: half a head",
                    "POST /v1/it")) {
                try (Socket socket = new Socket("127.0.0.1", hasty.port())) {
                    socket.setSoTimeout(60_000);
                    socket.getOutputStream().write(raw.getBytes(StandardCharsets.US_ASCII));
                    assertThat(statusesOf(readAll(socket))).as(raw).allMatch(status -> status >= 400 && status < 500);
                }
            }
            assertThat(hasty.stored()).isEmpty();
        }
    }

    @Test
    void an_incomplete_body_is_not_stored() throws IOException {
        for (String raw : List.of(
                head + "Content-Length: 10\r\n\r\nabc",
                head + "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n",
                head.replace("/v1/items", "/v1/items:batch")
                        + "Content-Length: 100\r\n\r\n{\"payload\":\"x\"}\n{\"pay")) {
            assertThat(statusesOf(talk(raw.getBytes(StandardCharsets.US_ASCII)))).as(raw)
                    .allMatch(status -> status >= 400 && status < 500);
        }
        assertThat(gateway.stored()).isEmpty();
    }

    @Test
    void two_requests_on_one_connection_get_two_responses() throws IOException {
        String one = head + "Content-Length: 1\r\n\r\nx";
        assertThat(statusesOf(talk((one + one).getBytes(StandardCharsets.US_ASCII)))).containsExactly(202, 202);
        assertThat(gateway.stored()).hasSize(2);
    }

    /** Sends valid requests with changed, removed, doubled and inserted bytes. */
    @Test
    void of_mutated_requests_exactly_the_accepted_items_are_stored() throws IOException {
        SplittableRandom random = seed.random();
        List<String> accepted = new ArrayList<>();
        for (int i = 0; i < seed.rounds(600); i++) {
            byte[] mutated = mutated(good(random, i).getBytes(StandardCharsets.US_ASCII), random);
            String answers = talk(mutated);
            assertThat(statusesOf(answers))
                    .as("%s, request %s: %s", seed, i, new String(mutated, StandardCharsets.ISO_8859_1))
                    .allMatch(status -> status < 500 || status == 503);
            Matcher ids = ACCEPTED.matcher(answers);
            while (ids.find()) {
                accepted.add(ids.group(1));
            }
        }
        List<String> stored = new ArrayList<>(gateway.stored().stream()
                .map(record -> GatewayUnderTest.item(record.value()).id().replace("\\", "\\\\").replace("\"", "\\\""))
                .toList());
        Collections.sort(accepted);
        Collections.sort(stored);
        assertThat(accepted).as(seed.toString()).isEqualTo(stored).hasSizeGreaterThan(50);
    }

    private String good(SplittableRandom random, int i) {
        String id = "Idempotency-Key: id" + i + "\r\n";
        return switch (random.nextInt(3)) {
            case 0 -> head + id + "Content-Length: 5\r\n\r\nhello";
            case 1 -> head + id + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
            default -> {
                String lines = "{\"id\":\"b" + i + "\",\"payload\":\"x\"}\nnot json\n{\"id\":\"c" + i
                        + "\",\"payload\":[1]}\n";
                yield head.replace("/v1/items", "/v1/items:batch")
                        + "Content-Length: " + lines.length() + "\r\n\r\n" + lines;
            }
        };
    }

    private static byte[] mutated(byte[] good, SplittableRandom random) {
        byte[] bytes = good.clone();
        for (int changes = random.nextInt(4); changes > 0; changes--) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(4)) {
                case 0 -> bytes[at] = (byte) random.nextInt();
                case 1 -> bytes = Arrays.copyOf(bytes, Math.max(1, at));
                case 2 -> bytes = inserted(bytes, at, "\r\n :;\u0000\u00ff0123456789{}\"".charAt(random.nextInt(19)));
                default -> bytes = inserted(bytes, at, (char) bytes[at]);
            }
        }
        return bytes;
    }

    private static byte[] inserted(byte[] bytes, int at, char c) {
        byte[] longer = new byte[bytes.length + 1];
        System.arraycopy(bytes, 0, longer, 0, at);
        longer[at] = (byte) c;
        System.arraycopy(bytes, at, longer, at + 1, bytes.length - at);
        return longer;
    }

    /** Sends bytes, closes the output, and reads to the end. */
    private String talk(byte[] raw) throws IOException {
        try (Socket socket = gateway.connect()) {
            try {
                socket.getOutputStream().write(raw);
                socket.shutdownOutput();
            } catch (SocketException alreadyCutOff) {
                return readAll(socket);
            }
            return readAll(socket);
        }
    }

    private static String readAll(Socket socket) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            socket.getInputStream().transferTo(all);
        } catch (SocketException reset) {
            // The bytes before the reset count.
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    private static List<Integer> statusesOf(String answers) {
        List<Integer> statuses = new ArrayList<>();
        Matcher status = STATUS.matcher(answers);
        while (status.find()) {
            int code = Integer.parseInt(status.group(1));
            if (code != 100) {
                statuses.add(code);
            }
        }
        return statuses;
    }
}
