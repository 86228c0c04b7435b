package io.spillway.gateway;

import io.spillway.Fuzz;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests of any bytes to a gateway on loopback. See {@link Fuzz}. */
@Timeout(36_000) // Against a hang; nothing is measured.
class HttpFuzzTest {
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 (\\d{3})");
    private static final Pattern ACCEPTED = Pattern.compile("\"id\":\"((?:[^\"\\\\]|\\\\.)+)\",\"tenant\"");
    private static final GatewayUnderTest GATEWAY = new GatewayUnderTest(true);
    private static final String KEY = GATEWAY.key("acme");
    private static final String[] TEXTS = {
        "Idempotency-Key: a\r\n", "Spillway-Priority: 9\r\n", "Spillway-Workload: w\r\n", "Spillway-Tenant: acme\r\n",
        "Spillway-Deliver-At: 1800000001000\r\n", "Spillway-Deliver-At: +999999999-12-31T23:59:59Z\r\n",
        "Content-Type: text/plain\r\n", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n",
        "Expect: 100-continue\r\n", "Origin: http://h\r\n", "traceparent: 00-1-1-01\r\n", "?limit=5&", "%00", "%2e%2e/",
        "%", "..;/", "//", "cursor=1-2.3-4", "tenant=acme", "id=", "since=106751991167d",
        "until=+999999999-12-31T23:59:59Z",
        "{\"action\":\"sweep\",\"tenant\":\"acme\",\"startedAt\":\"-999999999-01-01T00:00:00Z\"}",
        "{\"action\":\"pause\",\"tenant\":\"acme\"}", "\"enqueuedAt\":\"+999999999-12-31T23:59:59Z\",",
        "\"rate\":1e309",
        "\"partitions\":99999999999", "null", "[", "{", "\r\n", "\n", "HTTP/1.0", "GET", "POST", "DELETE"
    };
    private static final String[] PATHS = {
        "/admin/session", "/admin/tenants", "/admin/tenants/acme", "/admin/actions?limit=5", "/admin/runs",
        "/admin/runs/0123456789abcdef", "/admin/dead-letters?tenant=acme&reason=ttl&cursor=0-7", "/admin/sweeps",
        "/admin/dead-letters/0-7", "/admin/summary", "/admin/instances", "/console/", "/metrics", "/livez", "/readyz"
    };
    private static final String[] CHANGES = {
        "{\"action\":\"pause\",\"tenant\":\"acme\",\"dryRun\":true}",
        "{\"action\":\"set\",\"tenant\":\"acme\",\"rate\":\"5\",\"ttl\":\"1h\"}",
        "{\"action\":\"sweep\",\"tenant\":\"acme\",\"startedAt\":\"2026-11-21T08:00:00Z\",\"completedAt\":\"1s\"}",
        "{\"action\":\"cancel\",\"tenant\":\"acme\",\"id\":\"order-1\",\"before\":\"2h\",\"dryRun\":true}",
        "{\"kind\":\"replay\",\"filter\":{\"tenant\":\"acme\",\"ids\":[\"a\"]},\"rate\":1,\"limit\":5,\"dryRun\":true}",
        "{\"action\":\"isolate\",\"tenant\":\"acme\",\"partitions\":2,\"dryRun\":true}"
    };

    /** Ids of items of the inputs so far; cleared before there are many. */
    private final List<String> accepted = new ArrayList<>();

    @AfterAll
    static void close() {
        GATEWAY.close();
    }

    @Test
    void a_request_is_answered_or_refused_and_exactly_the_accepted_items_are_stored() throws IOException {
        Fuzz.of("HTTP requests", HttpFuzzTest::request).withTexts(TEXTS).usually(500).check(this::isAnswered);
        requireStored();
        Fuzz.require(statuses(talk("GET /readyz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n".getBytes(
                StandardCharsets.US_ASCII))).equals(List.of(200)), "no longer ready");
    }

    private boolean isAnswered(byte[] request) throws IOException {
        String answers = talk(request);
        List<Integer> statuses = statuses(answers);
        Fuzz.require(statuses.stream().allMatch(status -> status < 500 || status == 503), "answer", answers);
        Matcher ids = ACCEPTED.matcher(answers);
        while (ids.find()) {
            accepted.add(ids.group(1));
        }
        if (GATEWAY.stored().size() > 100) {
            requireStored();
        }
        return statuses.stream().anyMatch(status -> status < 300);
    }

    private void requireStored() {
        List<String> stored = new ArrayList<>(GATEWAY.stored().stream()
                .map(record -> GatewayUnderTest.item(record.value()).id().replace("\\", "\\\\").replace("\"", "\\\""))
                .toList());
        Collections.sort(accepted);
        Collections.sort(stored);
        List<String> more = new ArrayList<>(stored);
        accepted.forEach(more::remove);
        Fuzz.require(accepted.equals(stored), "stored and not accepted", more, accepted.size(), stored.size());
        accepted.clear();
        GATEWAY.kafka.clear();
    }

    private static byte[] request(SplittableRandom random) {
        String id = "Idempotency-Key: id" + random.nextInt(1_000_000) + "\r\n";
        String items = head("POST", "/v1/items", KEY);
        String request = switch (random.nextInt(6)) {
            case 0 -> items + id + "Content-Length: 5\r\n\r\nhello";
            case 1 -> items + id + "Spillway-Priority: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
            case 2 -> {
                String lines = "{\"id\":\"b\",\"payload\":\"x\",\"enqueuedAt\":1795000000000}\nnot json\n"
                        + "{\"payload\":[1],\"deliverAt\":\"2026-11-21T08:00:00Z\"}\n";
                yield head("POST", "/v1/items:batch", KEY) + "Content-Length: " + lines.length() + "\r\n\r\n" + lines;
            }
            case 3, 4 -> head("GET", PATHS[random.nextInt(PATHS.length)],
                    random.nextInt(9) > 0 ? GatewayUnderTest.ADMIN_KEY : GatewayUnderTest.VIEWER_KEY) + "\r\n";
            default -> {
                int change = random.nextInt(CHANGES.length);
                yield head("POST", CHANGES[change].contains("kind") ? "/admin/runs" : "/admin/actions",
                        GatewayUnderTest.ADMIN_KEY)
                        + "Content-Length: " + CHANGES[change].length() + "\r\n\r\n" + CHANGES[change];
            }
        };
        return request.getBytes(StandardCharsets.US_ASCII);
    }

    private static String head(String method, String path, String key) {
        return method + " " + path + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: Bearer " + key
                + "\r\n";
    }

    /** Sends bytes, closes the output, and reads to the end. */
    private static String talk(byte[] raw) throws IOException {
        try (Socket socket = GATEWAY.connect()) {
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

    private static List<Integer> statuses(String answers) {
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
