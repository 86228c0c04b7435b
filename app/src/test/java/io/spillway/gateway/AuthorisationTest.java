package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.spillway.kafka.view.ApiKey;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/** Authorisation of every endpoint with every kind of key, and the absence of secrets in logs. */
@Timeout(120) // Against a hang; nothing is measured.
class AuthorisationTest {
    /** Captures all levels, because no level may log a secret. */
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final Level levelBefore = root.getLevel();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    private GatewayUnderTest gateway;
    private final List<String> secrets = new ArrayList<>();

    @BeforeEach
    void listen() {
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
        log.start();
        root.addAppender(log);
        root.setLevel(Level.DEBUG);
        gateway = new GatewayUnderTest(true);
    }

    @AfterEach
    void restore() {
        gateway.close();
        root.detachAppender(log);
        root.setLevel(levelBefore);
        SLF4JBridgeHandler.uninstall();
    }

    /**
     * Expected status for each kind of key; a plus marks a granted request. A page sends Basic with the token of its
     * session and its own origin, an evil one the same with the origin of another site; v marks Basic of viewers.
     */
    private static final String TABLE = """
            # request                           none  wrong gone  other own   admin basic page  evil  view  vbas  vpage
            POST /v1/items                      401   401   401   202+  202+  403   401   401   401   403   401   401
            POST /v1/items:batch                401   401   401   200+  200+  403   401   401   401   403   401   401
            GET /v1/items                       405   405   405   405   405   405   405   405   405   405   405   405
            GET /admin/tenants/acme             401   401   401   403   403   200+  200+  200+  200+  200+  200+  200+
            GET /admin/tenants/acme/            401   401   401   403   403   404   404   404   404   404   404   404
            GET /admin/depths                   401   401   401   403   403   200+  200+  200+  200+  200+  200+  200+
            GET /admin/history                  401   401   401   403   403   200+  200+  200+  200+  200+  200+  200+
            GET /admin/instances                401   401   401   403   403   200+  200+  200+  200+  200+  200+  200+
            GET /admin/depths/                  401   401   401   403   403   404   404   404   404   404   404   404
            GET /admin                          401   401   401   403   403   404   404   404   404   404   404   404
            GET /admin/                         401   401   401   403   403   404   404   404   404   404   404   404
            GET /admin/nothing                  401   401   401   403   403   404   404   404   404   404   404   404
            GET /admin/session                  401   401   401   403   403   200+  200+  200+  200+  200+  200+  200+
            GET /admin/session/                 401   401   401   403   403   404   404   404   404   404   404   404
            GET /admin/dead-letters             401   401   401   403   403   200+  200+  200+  200+  200+  200+  200+
            GET /admin/dead-letters/0-7         401   401   401   403   403   200+  200+  200+  200+  200+  200+  200+
            GET /admin/dead-letters/0-8         401   401   401   403   403   404   404   404   404   404   404   404
            GET /admin/dead-letters/            401   401   401   403   403   404   404   404   404   404   404   404
            GET /admin/dead-letters/x           401   401   401   403   403   404   404   404   404   404   404   404
            GET /admin/sweeps                   401   401   401   403   403   200+  200+  200+  200+  200+  200+  200+
            GET /admin/actions                  401   401   401   403   403   200+  200+  200+  200+  200+  200+  200+
            GET /admin/runs                     401   401   401   403   403   200+  200+  200+  200+  200+  200+  200+
            GET /admin/runs/RUN                 401   401   401   403   403   404   404   404   404   404   404   404
            GET /admin/runs/                    401   401   401   403   403   404   404   404   404   404   404   404
            POST /admin/tenants/acme            401   401   401   403   403   405   403   405   403   403   403   403
            POST /admin/depths                  401   401   401   403   403   405   403   405   403   403   403   403
            POST /admin/history                 401   401   401   403   403   405   403   405   403   403   403   403
            POST /admin/instances               401   401   401   403   403   405   403   405   403   403   403   403
            POST /admin/session                 401   401   401   403   403   405   403   405   403   403   403   403
            POST /admin/dead-letters            401   401   401   403   403   405   403   405   403   403   403   403
            POST /admin/dead-letters/0-7        401   401   401   403   403   405   403   405   403   403   403   403
            POST /admin/sweeps                  401   401   401   403   403   405   403   405   403   403   403   403
            POST /admin/nothing                 401   401   401   403   403   405   403   405   403   403   403   403
            POST /admin/actions                 401   401   401   403   403   200+  403   200+  403   403   403   403
            POST /admin/runs                    401   401   401   403   403   202+  403   202+  403   403   403   403
            POST /admin/runs/RUN:cancel         401   401   401   403   403   404   403   404   403   403   403   403
            GET /admin/runs/RUN:cancel          401   401   401   403   403   405   405   405   405   405   405   405
            DELETE /admin/tenants/acme          401   401   401   403   403   405   401   401   401   403   401   401
            PUT /admin/depths                   401   401   401   403   403   405   401   401   401   403   401   401
            PUT /admin/instances                401   401   401   403   403   405   401   401   401   403   401   401
            PUT /admin/actions                  401   401   401   403   403   405   401   401   401   403   401   401
            DELETE /admin/actions               401   401   401   403   403   405   401   401   401   403   401   401
            DELETE /admin/runs                  401   401   401   403   403   405   401   401   401   403   401   401
            DELETE /admin/dead-letters/0-7      401   401   401   403   403   405   401   401   401   403   401   401
            PATCH /admin/runs                   401   401   401   403   403   405   401   401   401   403   401   401
            DELETE /admin/session               401   401   401   403   403   405   401   401   401   403   401   401
            GET /console                        401   401   401   403   403   200+  200+  200+  200+  200+  200+  200+
            GET /console/console.js             401   401   401   403   403   200+  200+  200+  200+  200+  200+  200+
            GET /console/console.css            401   401   401   403   403   200+  200+  200+  200+  200+  200+  200+
            GET /console/                       401   401   401   403   403   404   404   404   404   404   404   404
            GET /console/console.html           401   401   401   403   403   404   404   404   404   404   404   404
            GET /console/../console             401   401   401   403   403   404   404   404   404   404   404   404
            POST /console                       401   401   401   403   403   405   401   401   401   403   401   401
            DELETE /console/console.js          401   401   401   403   403   405   401   401   401   403   401   401
            GET /livez                          200+  200+  200+  200+  200+  200+  200+  200+  200+  200+  200+  200+
            GET /readyz                         200+  200+  200+  200+  200+  200+  200+  200+  200+  200+  200+  200+
            GET /metrics                        401   401   401   403   403   200+  401   401   401   200+  401   401
            POST /metrics                       401   401   401   403   403   405   401   401   401   405   401   401
            POST /livez                         405   405   405   405   405   405   405   405   405   405   405   405
            GET /                               404   404   404   404   404   404   404   404   404   404   404   404
            GET /ADMIN/tenants/acme             404   404   404   404   404   404   404   404   404   404   404   404
            GET //admin/tenants/acme            404   404   404   404   404   404   404   404   404   404   404   404
            GET /admin%2Ftenants%2Facme         404   404   404   404   404   404   404   404   404   404   404   404
            GET /%61dmin/tenants/acme           404   404   404   404   404   404   404   404   404   404   404   404
            POST /%61dmin/actions               404   404   404   404   404   404   404   404   404   404   404   404
            POST //admin/actions                404   404   404   404   404   404   404   404   404   404   404   404
            POST /admin%2Factions               404   404   404   404   404   404   404   404   404   404   404   404
            GET /Console                        404   404   404   404   404   404   404   404   404   404   404   404
            GET /consoles                       404   404   404   404   404   404   404   404   404   404   404   404
            GET /console%2Fconsole.js           404   404   404   404   404   404   404   404   404   404   404   404
            POST /v1/items/                     405   405   405   405   405   405   405   405   405   405   405   405
            GET /v1/items/order-1               401   401   401   409   409   403   401   401   401   403   401   401
            GET /v1/items/                      401   401   401   400   400   403   401   401   401   403   401   401
            """;

    @Test
    void every_kind_of_key_grants_exactly_the_expected_requests() {
        Map<String, List<String>> keys = new TreeMap<>();
        String acme = secret(gateway.key("acme"));
        String revoked = secret(gateway.key("acme"));
        gateway.revoke(revoked);
        String admin = secret(GatewayUnderTest.ADMIN_KEY);
        String wrong = secret(ApiKey.make(new SplittableRandom(99)).text());
        keys.put("none", List.of(""));
        keys.put("wrong", List.of(
                "Bearer " + wrong, "Basic " + acme, "Basic " + admin, "Digest " + admin, admin,
                "Bearer", "Basic", "Basic ",
                basic("operator:" + wrong), basic("operator:" + admin + "x"), basic("operator:"), basic(":"), basic(""),
                basic(admin), basic(admin + ":"), basic("operator:" + acme), basic(acme + ":" + acme),
                basic("a:b:" + admin), basic("operator:" + admin) + "!", basic("operator:" + admin) + "=====",
                basic("operator:" + admin.toUpperCase(Locale.ROOT)),
                basic("operator:" + revoked)));
        keys.put("gone", List.of("Bearer " + revoked));
        keys.put("other", List.of("Bearer " + secret(gateway.key("bolt"))));
        keys.put("own", List.of("Bearer " + acme));
        keys.put("admin", List.of("Bearer " + admin));
        keys.put("basic", List.of(basic("operator:" + admin), basic(":" + admin).replace("Basic", "bAsIc"),
                basic("zoë:" + admin)));
        String viewer = secret(GatewayUnderTest.VIEWER_KEY);
        keys.put("view", List.of("Bearer " + viewer));
        keys.put("vbas", List.of(basic("vic:" + viewer), basic(":" + viewer)));
        keys.put("page", List.of(basic("zoe:" + admin)));
        keys.put("evil", keys.get("page"));
        keys.put("vpage", List.of(basic("vic:" + viewer)));
        Map<String, String[]> headers = Map.of(
                "page", new String[] {"Spillway-CSRF", "1", "Origin", gateway.url},
                "evil", new String[] {"Spillway-CSRF", "1", "Origin", "https://evil.example"},
                "vpage", new String[] {"Spillway-CSRF", "1", "Origin", gateway.url});

        List<String> rows = TABLE.lines().toList();
        List<String> kinds = Arrays.asList(rows.getFirst().replaceAll("# request +", "").split(" +"));
        int wrongGrants = 0;
        for (String row : rows.subList(1, rows.size())) {
            String[] cells = row.split(" +");
            for (int i = 0; i < kinds.size(); i++) {
                for (String authorization : keys.get(kinds.get(i))) {
                    HttpResponse<String> answer = send(cells[0], cells[1], authorization,
                            headers.getOrDefault(kinds.get(i), new String[0]));
                    wrongGrants += answer.statusCode() < 300 && !cells[2 + i].endsWith("+") ? 1 : 0;
                    assertAnswer(cells, kinds.get(i) + ": " + authorization, cells[2 + i], answer);
                }
            }
        }
        assertThat(wrongGrants).isZero();
        assertThat(gateway.stored().stream().map(record -> GatewayUnderTest.item(record.value()).tenant()))
                .as("each item has the tenant of the key").containsExactly("bolt", "acme", "bolt", "acme");
        assertNoSecretWasLogged();
    }

    private HttpResponse<String> send(String method, String path, String authorization, String... more) {
        String body = !method.equals("POST") ? "" : switch (path) {
            case "/admin/actions" -> "{\"action\":\"pause\",\"tenant\":\"acme\"}";
            case "/admin/runs" -> "{\"kind\":\"replay\",\"filter\":{\"tenant\":\"nobody\"}}";
            default -> "{\"payload\":\"x\"}";
        };
        List<String> headers = new ArrayList<>(List.of(more));
        if (!authorization.isEmpty()) {
            headers.addAll(List.of("Authorization", authorization));
        }
        return gateway.send(method, path.replace("RUN", "0123456789abcdef"), "", body, headers.toArray(String[]::new));
    }

    private static void assertAnswer(String[] request, String caller, String expected, HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as("%s %s with %s: %s", request[0], request[1], caller, answer.body())
                .isEqualTo(Integer.parseInt(expected.replace("+", "")));
        if (answer.statusCode() >= 400) {
            assertThat(answer.headers().firstValue("content-type")).contains("application/problem+json");
        }
        boolean isForBrowsers = request[0].equals("GET") && request[1].matches("/(admin|console)(/.*)?");
        assertThat(answer.headers().allValues("www-authenticate")).as("%s %s with %s", request[0], request[1], caller)
                .isEqualTo(answer.statusCode() != 401 ? List.of() : List.of(isForBrowsers
                        ? "Basic realm=\"spillway\", charset=\"UTF-8\""
                        : "Bearer realm=\"spillway\""));
    }

    /** Returns the header that a browser sends. It contains the key, so it is a secret too. */
    private String basic(String userAndPassword) {
        String encoded = Base64.getEncoder().encodeToString(userAndPassword.getBytes(StandardCharsets.UTF_8));
        return "Basic " + (encoded.length() > 32 ? secret(encoded) : encoded);
    }

    @Test
    void several_authorization_headers_and_basic_with_head_are_rejected() {
        String key = GatewayUnderTest.ADMIN_KEY;
        for (String path : List.of("/console", "/admin/depths")) {
            String basic = basic("operator:" + key);
            assertThat(gateway.send("GET", path, key, "", "Authorization", basic).statusCode()).isEqualTo(401);
            assertThat(gateway.send("HEAD", path, "", "", "Authorization", basic).statusCode()).isEqualTo(401);
        }
        assertNoSecretWasLogged();
    }

    @Test
    void the_tenant_is_always_that_of_the_key() {
        String acme = secret(gateway.key("acme"));

        assertThat(gateway.post(acme, "x", "Spillway-Tenant", "bolt").statusCode()).isEqualTo(403);
        assertThat(gateway.post(acme, "x", "Spillway-Tenant", "acme").statusCode()).isEqualTo(202);
        assertThat(gateway.post(acme, "{\"tenant\":\"bolt\"}").body()).contains("\"tenant\":\"acme\"");
        assertThat(gateway.send("POST", "/v1/items?tenant=bolt", acme, "x").body()).contains("\"tenant\":\"acme\"");
        assertThat(gateway.batch(acme, "{\"tenant\":\"bolt\",\"payload\":\"x\"}").body()).contains("\"status\":403");
        assertThat(gateway.stored()).hasSize(3)
                .allMatch(record -> GatewayUnderTest.item(record.value()).tenant().equals("acme"))
                .allMatch(record -> new String(record.key()).equals("acme"))
                .allMatch(record -> record.headers().headers("spillway-tenant").iterator().hasNext() == false);
    }

    @Test
    void a_revoked_key_is_rejected_from_the_next_request_and_the_tenants_other_key_is_not() {
        String first = secret(gateway.key("acme"));
        String second = secret(gateway.key("acme"));
        assertThat(gateway.post(first, "x").statusCode()).isEqualTo(202);
        gateway.revoke(first);
        assertThat(gateway.post(first, "x").statusCode()).isEqualTo(401);
        assertThat(gateway.post(second, "x").statusCode()).isEqualTo(202);
        assertNoSecretWasLogged();
    }

    /** On loopback too: a proxy on the same machine may forward requests of others, with no sign of it. */
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost", "0.0.0.0"})
    void metrics_require_the_admin_key_on_any_address(String host) {
        try (GatewayUnderTest open = new GatewayUnderTest(true, "gateway.host", host)) {
            String path = "/metrics";
            for (String key : List.of("", secret(open.key("acme")), GatewayUnderTest.ADMIN_KEY)) {
                int status = get(open, path, key);
                assertThat(status).isEqualTo(key.isEmpty() ? 401 : key.startsWith("spw_") ? 403 : 200);
            }
            assertThat(get(open, "/livez", "")).isEqualTo(200);
            assertThat(status(open, path, basic("operator:" + GatewayUnderTest.ADMIN_KEY)))
                    .as("Basic is for the console").isEqualTo(401);
        }
    }

    @Test
    void no_log_line_can_be_forged() {
        String key = secret(gateway.key("acme"));
        String forged = "x%0d%0a2026-01-01T00:00:00Z ERROR %5bmain%5d Forged: line";
        gateway.kafka.sendException =
                new IllegalStateException("x\r\n2026-01-01T00:00:00Z ERROR [main] Forged: line\u001b[31m");
        gateway.post(key, "x");
        gateway.kafka.sendException = null;
        gateway.send("GET", "/" + forged.replace(" ", "%20"), key, "");
        gateway.send("GET", "/admin/tenants/" + forged.replace(" ", "%20"), GatewayUnderTest.ADMIN_KEY, "");
        gateway.post(key, "x",
                "Idempotency-Key", "a Forged: b", "Spillway-Workload", "Forged:", "traceparent", "Forged:");
        gateway.batch(key, "{\"tenant\":\"x\\r\\nForged: line\",\"id\":\"\\u001b[31m\",\"payload\":\"x\"}");
        gateway.batch(key, "{\"Forged: key\\n\":1,\"payload\":\"x\"}");

        assertThat(log.list).filteredOn(event -> event.getLoggerName().startsWith("io.spillway"))
                .as("Kafka's failure is logged").isNotEmpty()
                .allSatisfy(event -> assertThat(event.getFormattedMessage()).matches("[ -~]+"));
        assertNoSecretWasLogged();
    }

    private static int get(GatewayUnderTest open, String path, String key) {
        return status(open, path, key.isEmpty() ? "none" : "Bearer " + key);
    }

    private static int status(GatewayUnderTest open, String path, String authorization) {
        return open.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + open.port() + path))
                .header("Authorization", authorization)
                .build()).statusCode();
    }

    private String secret(String key) {
        secrets.add(key);
        return key;
    }

    /** Checks the log of the gateway and its server, not that of the test's HTTP client. */
    private void assertNoSecretWasLogged() {
        assertThat(log.list).filteredOn(each -> !each.getLoggerName().startsWith("jdk.internal")).allSatisfy(event -> {
            for (String secret : secrets) {
                assertThat(event.getFormattedMessage() + event.getThrowableProxy())
                        .doesNotContain(secret, secret.substring(24));
            }
        });
    }
}
