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
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The console as it is served. See {@link AuthorisationTest} for access and {@code QueueStateTest} for its data. */
@Timeout(120) // Against a hang; nothing is measured.
class ConsoleTest {
    private static final Map<String, String> TYPES = types();

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
            loaded.add(references.group(1).startsWith("#") ? "/console" + references.group(1)
                    : URI.create("/console").resolve(references.group(1)).toString());
        }
        assertThat(loaded).filteredOn(path -> !path.startsWith("/console#"))
                .containsExactlyInAnyOrder("/console/console.css", "/console/console.js");
        TYPES.keySet().forEach(path -> assertThat(get(path).body()
                        // The name of a format, which nothing loads.
                        .replace("createElementNS(SVG, ", "").replace("\"http://www.w3.org/2000/svg\"", "")).as(path)
                .doesNotContainIgnoringCase("http:").doesNotContainIgnoringCase("https:")
                .doesNotContain("url(", "@import", "\"//", "'//"));
    }

    @Test
    void the_page_complies_with_the_content_security_policy() {
        assertThat(get("/console").body())
                .doesNotContainPattern("(?i)<style|\\sstyle=|\\son[a-z]+=|javascript:|<script>|<script [^>]*>[^<]");
    }

    @Test
    void the_modules_that_are_served_are_those_that_import_each_other() {
        Set<String> reached = new TreeSet<>();
        List<String> next = new ArrayList<>(List.of("console"));
        while (!next.isEmpty()) {
            String module = next.removeLast();
            if (reached.add(module)) {
                Matcher imports = Pattern.compile("from \"\\./([a-z]+)\\.js\";").matcher(script(module));
                while (imports.find()) {
                    next.add(imports.group(1));
                }
            }
        }
        assertThat(reached).containsExactlyElementsOf(new TreeSet<>(Console.MODULES));
    }

    @Test
    void the_scripts_insert_only_text_and_execute_no_data() {
        for (String module : Console.MODULES) {
            assertThat(script(module)).as(module)
                    .doesNotContain("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval",
                            "new Function", "createContextualFragment", "DOMParser", "srcdoc", "import(",
                            "localStorage", "sessionStorage", "cookie", ".style");
            if (!module.equals("dom")) {
                assertThat(script(module)).as(module).doesNotContain("node.setAttribute", ".setAttribute(");
            }
        }
        assertThat(script("dom")).as("only attributes of this list, none of which holds a script or a style")
                .contains("/^(aria-[a-z]+|role|d|viewBox|preserveAspectRatio|x1|x2|y1|y2|scope|for|datetime)$/")
                .containsOnlyOnce("if (ATTRIBUTES.test(name) && node.getAttribute(name) !== value) node.setAttribute(")
                .containsOnlyOnce("else if (ATTRIBUTES.test(key)) node.setAttribute(");
        assertThat(script("dom").split("setAttribute\\(", -1)).as("its uses, and the function").hasSize(4);
    }

    @Test
    void the_ids_that_the_scripts_use_exist() {
        String page = get("/console").body();
        int found = 0;
        for (String module : Console.MODULES) {
            Matcher ids = Pattern.compile("\\bat\\(\"([^\"]+)\"\\)").matcher(script(module));
            while (ids.find()) {
                assertThat(page).contains("id=\"" + ids.group(1) + "\"");
                found++;
            }
        }
        assertThat(found).as("ids found").isGreaterThan(8);
    }

    @Test
    void the_fields_of_the_answers_are_shown() throws Exception {
        gateway.policy("acme", PolicySettings.NONE_SET.with(PolicyField.MAX_DEPTH, "100"));
        gateway.waits("acme", 400);
        gateway.gateway.sample();
        JsonNode depths = json("/admin/depths");
        assertShown(depths, "overview", "format", "tenants");
        assertShown(depths.at("/tenants/0"), "tenants", "overview", "format");
        assertThat(depths.at("/tenants/0/admittedShare").doubleValue()).isEqualTo(0.25);
        assertThat(depths.at("/total/waiting").longValue()).isEqualTo(400);
        assertThat(depths.at("/changedAt").textValue())
                .isEqualTo(Instant.ofEpochMilli(gateway.nowMillis.get()).toString());
        JsonNode acme = json("/admin/tenants/acme");
        assertThat(acme.get("waiting").longValue()).isEqualTo(400);
        assertShown(acme, "tenant");
        assertShown(acme.get("counts"), "tenant");
        assertShown(acme.get("rates"), "tenant");
        assertShown(acme.at("/sources/0"), "tenant");
        assertShown(json("/admin/history"), "overview");
        assertShown(json("/admin/instances"), "lists");
    }

    /** Checks that the modules use each field of a JSON object; those of {@code elsewhere} are for programs. */
    private void assertShown(JsonNode json, String... modules) {
        String scripts = Stream.of(modules).map(this::script).collect(Collectors.joining());
        Set<String> elsewhere = Set.of("asOf", "from", "hot", "overflow", "aged", "delay", "tenant");
        assertThat(json.isEmpty()).isFalse();
        json.fieldNames().forEachRemaining(name -> {
            if (!elsewhere.contains(name)) {
                assertThat(scripts).containsPattern("\\b" + name + "\\b");
            }
        });
    }

    private static Map<String, String> types() {
        Map<String, String> types = new TreeMap<>(Map.of(
                "/console", "text/html; charset=utf-8", "/console/console.css", "text/css; charset=utf-8"));
        Console.MODULES.forEach(name -> types.put("/console/" + name + ".js", "text/javascript; charset=utf-8"));
        return types;
    }

    private String script(String module) {
        return get("/console/" + module + ".js").body();
    }

    private JsonNode json(String path) throws Exception {
        return new JsonMapper().readTree(get(path).body());
    }

    private HttpResponse<String> get(String path) {
        return gateway.send("GET", path, GatewayUnderTest.ADMIN_KEY, "");
    }
}
