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

    @ParameterizedTest(name = "header {0}, origin {1}: {2}")
    @CsvSource({
        "1,      own,    200",
        "1,      absent, 200",
        "1,      other,  403",
        "1,      null,   403",
        "1,      empty,  403",
        "1,      port,   403",
        "1,      scheme, 403",
        "1,      suffix, 403",
        "1,      twice,  403",
        "absent, own,    403",
        "absent, absent, 403",
        "empty,  own,    403",
        "twice,  own,    403",
        "0,      own,    403",
        "11,     own,    403",
    })
    void a_change_needs_a_header_that_only_a_page_of_this_origin_can_send(String mark, String origin, int status) {
        List<String> headers = new ArrayList<>(List.of("Authorization", basic("zoe", ADMIN)));
        List<String> marks = switch (mark) {
            case "absent" -> List.of();
            case "empty" -> List.of("");
            case "twice" -> List.of("1", "1");
            default -> List.of(mark);
        };
        marks.forEach(each -> headers.addAll(List.of("Spillway-CSRF", each)));
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
    void a_preflight_of_another_site_is_refused() {
        HttpResponse<String> answer = gateway.send("OPTIONS", "/admin/actions", "", "",
                "Origin", "https://evil.example", "Access-Control-Request-Method", "POST",
                "Access-Control-Request-Headers", "spillway-csrf");
        assertThat(answer.statusCode()).isGreaterThanOrEqualTo(400);
        assertThat(answer.headers().map().keySet()).noneMatch(name -> name.startsWith("access-control-"));
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
