package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Changes with HTTP Basic, which a browser also sends with requests that other sites trigger. */
@Timeout(120) // Against a hang; nothing is measured.
class CsrfTest {
    private static final String ADMIN = GatewayUnderTest.ADMIN_KEY;
    private static final String PAUSE = "{\"action\":\"pause\",\"tenant\":\"acme\"}";

    private final GatewayUnderTest gateway = new GatewayUnderTest(true);

    @AfterEach
    void close() {
        gateway.close();
    }

    @ParameterizedTest(name = "token {0}, origin {1}: {2}")
    @CsvSource({
        "own,        own,       200",
        "own,        absent,    200",
        "own,        other,     403",
        "own,        null,      403",
        "own,        empty,     403",
        "own,        port,      403",
        "own,        scheme,    403",
        "own,        suffix,    403",
        "own,        twice,     403",
        "absent,     own,       403",
        "absent,     absent,    403",
        "empty,      own,       403",
        "twice,      own,       403",
        "of-mia,     own,       403",
        "of-viewer,  own,       403",
        "of-process, own,       403",
        "changed,    own,       403",
        "key,        own,       403",
    })
    void a_change_needs_the_token_of_its_user_and_no_other_origin(String token, String origin, int status) {
        String own = token("zoe", ADMIN);
        List<String> headers = new ArrayList<>(List.of("Authorization", basic("zoe", ADMIN)));
        List<String> tokens = switch (token) {
            case "own" -> List.of(own);
            case "absent" -> List.of();
            case "empty" -> List.of("");
            case "twice" -> List.of(own, own);
            case "of-mia" -> List.of(token("mia", ADMIN));
            case "of-viewer" -> List.of(token("zoe", GatewayUnderTest.VIEWER_KEY));
            case "of-process" -> {
                try (GatewayUnderTest other = new GatewayUnderTest(true)) {
                    yield List.of(session(other, basic("zoe", ADMIN)).get("csrf").textValue());
                }
            }
            case "changed" -> List.of(own.replaceFirst("^[0-9]+", "" + (gateway.nowMillis.get() / 3_600_000 - 1)));
            default -> List.of(ADMIN);
        };
        tokens.forEach(each -> headers.addAll(List.of("Spillway-CSRF", each)));
        List<String> origins = switch (origin) {
            case "own" -> List.of(gateway.url);
            case "absent" -> List.of();
            case "other" -> List.of("https://evil.example");
            case "null" -> List.of("null");
            case "empty" -> List.of("");
            case "port" -> List.of("http://127.0.0.1:1");
            case "scheme" -> List.of("ftp://127.0.0.1:" + gateway.port());
            case "suffix" -> List.of(gateway.url + ".evil.example");
            default -> List.of(gateway.url, gateway.url);
        };
        origins.forEach(each -> headers.addAll(List.of("Origin", each)));

        assertThat(gateway.send("POST", "/admin/actions", "", PAUSE, headers.toArray(String[]::new)).statusCode())
                .isEqualTo(status);
        assertThat(gateway.queue.stored(gateway.queue.topics.policies()).isEmpty()).isEqualTo(status != 200);
    }

    @Test
    void a_token_is_valid_for_twelve_hours_and_then_refused() {
        String own = token("zoe", ADMIN);
        gateway.nowMillis.addAndGet(12 * 3_600_000L);
        assertThat(pause(own).statusCode()).isEqualTo(200);
        gateway.nowMillis.addAndGet(3_600_000L);
        assertThat(pause(own).statusCode()).isEqualTo(403);
        assertThat(pause(own).body()).contains("GET /admin/session");
        gateway.nowMillis.addAndGet(-14 * 3_600_000L);
        assertThat(pause(own).statusCode()).as("of the future").isEqualTo(403);
    }

    @Test
    void a_session_names_the_role_the_user_and_what_the_user_sees() {
        JsonNode operator = session(gateway, basic("zoe\n\u001b[31m" + "x".repeat(100), ADMIN));
        assertThat(operator.get("role").textValue()).isEqualTo("operator");
        assertThat(operator.get("user").textValue()).hasSize(64).matches("zoe\\\\u000a\\\\u001b\\[31mx+\\.\\.\\.");
        assertThat(operator.get("payloads").booleanValue()).isTrue();
        assertThat(operator.get("prefix").textValue()).isEqualTo("spillway");
        JsonNode viewer = session(gateway, "Bearer " + GatewayUnderTest.VIEWER_KEY);
        assertThat(viewer.get("role").textValue()).isEqualTo("viewer");
        assertThat(viewer.get("user").textValue()).isEqualTo("viewer");
        assertThat(viewer.get("payloads").booleanValue()).isFalse();
    }

    private HttpResponse<String> pause(String token) {
        return gateway.send("POST", "/admin/actions", "", PAUSE, "Authorization", basic("zoe", ADMIN),
                "Spillway-CSRF", token);
    }

    private String token(String user, String key) {
        return session(gateway, basic(user, key)).get("csrf").textValue();
    }

    static JsonNode session(GatewayUnderTest gateway, String authorization) {
        try {
            return new JsonMapper().readTree(
                    gateway.send("GET", "/admin/session", "", "", "Authorization", authorization).body());
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private static String basic(String user, String key) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + key).getBytes(StandardCharsets.UTF_8));
    }
}
