package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The console as it is served. See {@link AuthorisationTest} for access and {@link DepthsReportTest} for its data. */
@Timeout(120) // Against a hang; nothing is measured.
class ConsoleTest {
    private static final Map<String, String> TYPES = Map.of(
            "/console", "text/html; charset=utf-8",
            "/console/console.css", "text/css; charset=utf-8",
            "/console/console.js", "text/javascript; charset=utf-8");

    private GatewayUnderTest gateway;

    @BeforeEach
    void listen() {
        gateway = new GatewayUnderTest(true);
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void the_page_and_its_resources_are_served_with_restrictive_headers() {
        TYPES.forEach((path, type) -> {
            HttpResponse<String> answer = get(path);
            assertThat(answer.statusCode()).as(path).isEqualTo(200);
            assertThat(answer.body()).as(path).isNotBlank();
            Map.of(
                    "content-type", type,
                    "content-security-policy", "default-src 'none'; script-src 'self'; style-src 'self'; "
                            + "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
                    "x-content-type-options", "nosniff",
                    "referrer-policy", "no-referrer",
                    "cross-origin-resource-policy", "same-origin",
                    "cache-control", "no-store").forEach((name, value) ->
                    assertThat(answer.headers().allValues(name)).as("%s of %s", name, path).containsExactly(value));
        });
        for (String path : List.of("/admin/depths", "/admin/tenants/acme")) {
            assertThat(get(path).headers().firstValue("x-content-type-options")).as(path).contains("nosniff");
            assertThat(get(path).headers().firstValue("access-control-allow-origin")).as(path).isEmpty();
        }
    }

    @Test
    void the_page_loads_only_its_own_resources() {
        List<String> loaded = new ArrayList<>();
        Matcher references = Pattern.compile("(?:href|src|action)=\"([^\"]*)\"").matcher(get("/console").body());
        while (references.find()) {
            loaded.add(URI.create("/console").resolve(references.group(1)).toString());
        }
        assertThat(loaded).containsExactlyInAnyOrder("/console/console.css", "/console/console.js");
        TYPES.keySet().forEach(path -> assertThat(get(path).body()).as(path)
                .doesNotContainIgnoringCase("http:").doesNotContainIgnoringCase("https:")
                .doesNotContain("url(", "@import", "\"//", "'//"));
    }

    @Test
    void the_page_complies_with_the_content_security_policy() {
        assertThat(get("/console").body())
                .doesNotContainPattern("(?i)<style|\\sstyle=|\\son[a-z]+=|javascript:|<script>|<script [^>]*>[^<]");
    }

    @Test
    void the_script_inserts_only_text_and_executes_no_data() {
        assertThat(get("/console/console.js").body())
                .doesNotContain("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval",
                        "new Function", "createContextualFragment", "DOMParser", "srcdoc", "setAttribute", "import(",
                        "localStorage", "cookie");
    }

    @Test
    void the_ids_and_fields_that_the_script_uses_exist() throws Exception {
        String page = get("/console").body();
        String script = get("/console/console.js").body();
        Matcher ids = Pattern.compile("\\bat\\(\"([^\"]+)\"\\)").matcher(script);
        int found = 0;
        while (ids.find()) {
            assertThat(page).contains("id=\"" + ids.group(1) + "\"");
            found++;
        }
        assertThat(found).as("ids found").isGreaterThan(8);

        gateway.policy("acme", PolicySettings.NONE_SET.with(PolicyField.MAX_DEPTH, "100"));
        gateway.waits("acme", 400);
        JsonNode depths = new JsonMapper().readTree(get("/admin/depths").body());
        depths.fieldNames().forEachRemaining(name -> assertThat(script).contains(name));
        depths.at("/tenants/0").fieldNames().forEachRemaining(name -> {
            if (!name.equals("hot") && !name.equals("overflow") && !name.equals("aged") && !name.equals("delay")) {
                assertThat(script).contains("t." + name);
            }
        });
        assertThat(depths.at("/tenants/0/admittedShare").doubleValue()).isEqualTo(0.25);
        assertThat(depths.at("/total/waiting").longValue()).isEqualTo(400);
        assertThat(depths.at("/changedAt").textValue())
                .isEqualTo(Instant.ofEpochMilli(gateway.nowMillis.get()).toString());
        JsonNode acme = new JsonMapper().readTree(get("/admin/tenants/acme").body());
        assertThat(acme.get("waiting").longValue()).isEqualTo(400);
    }

    private HttpResponse<String> get(String path) {
        return gateway.send("GET", path, GatewayUnderTest.ADMIN_KEY, "");
    }
}
