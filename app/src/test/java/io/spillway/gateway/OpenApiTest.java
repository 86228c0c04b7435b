package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.config.MetricsSettings;
import io.spillway.runtime.MetricsServer;
import io.spillway.tracing.Tracing;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The description of the HTTP interfaces in {@code docs/openapi.yaml}, held against running servers. */
@Timeout(120) // Against a hang; nothing is measured.
class OpenApiTest {
    private static final Path PAGE = Path.of("../docs/openapi.yaml");
    private static final Path ROUTES = Path.of("src/main/java/io/spillway/gateway/RequestRouter.java");
    private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "patch");
    private static final JsonNode DOCUMENT = document();

    private static GatewayUnderTest gateway;
    private static WorkUnderTest work;
    private static MetricsServer metrics;
    private static Map<String, String> urls;
    private static Map<String, String> keys;
    /** A replay that has not ended. */
    private static String run;

    /** One operation at one of its servers. */
    record Operation(String path, String method, String server, JsonNode description) {
        @Override
        public String toString() {
            return method + " " + path + " at " + server;
        }
    }

    @BeforeAll
    static void listen() {
        gateway = new GatewayUnderTest(true);
        work = new WorkUnderTest(1_000_000);
        metrics = new MetricsServer(
                new MetricsSettings("127.0.0.1", 0, 10, MetricsSettings.KafkaMetrics.NONE), "orders", Tracing.OFF,
                () -> true);
        String metricsUrl = metrics.start();
        urls = Map.of("8080", gateway.url, "8081", work.url,
                "9404", metricsUrl.substring(0, metricsUrl.length() - "/metrics".length()));
        keys = Map.of("tenantKey", gateway.key("acme"), "adminKey", GatewayUnderTest.ADMIN_KEY,
                "workerKey", WorkUnderTest.KEY);
        gateway.waits("acme", 3);
        ItemFatesTest.track(gateway, "acme");
        ItemFatesTest.tell(gateway, "acme", "order-1", "done");
        // The runs of these tests wait until the end.
        gateway.queue.mayRun = new CountDownLatch(1);
        run = json(gateway.send("POST", "/admin/runs", GatewayUnderTest.ADMIN_KEY, "{\"kind\":\"replay\"}").body())
                .get("id").textValue();
    }

    @AfterAll
    static void close() {
        gateway.queue.mayRun.countDown();
        metrics.close();
        work.close();
        gateway.close();
    }

    static List<Operation> operations() {
        List<Operation> operations = new ArrayList<>();
        DOCUMENT.get("paths").properties().forEach(path -> path.getValue().properties().stream()
                .filter(each -> METHODS.contains(each.getKey())).forEach(method -> {
                    JsonNode servers = path.getValue().has("servers") ? path.getValue().get("servers")
                            : DOCUMENT.get("servers");
                    servers.forEach(server -> operations.add(new Operation(path.getKey(), method.getKey(),
                            server.get("url").textValue().replaceAll(".*:", ""), method.getValue())));
                }));
        return operations;
    }

    @ParameterizedTest
    @MethodSource("operations")
    void a_right_request_gets_the_first_answer_that_is_documented(Operation operation) {
        String key = key(operation).orElse("");
        HttpResponse<String> response = send(operation, operation.method, key, rightBody(operation));

        assertThat("" + response.statusCode()).as(response.body())
                .isEqualTo(operation.description.get("responses").fieldNames().next());
        assertDocumented(operation, response);
    }

    @ParameterizedTest
    @MethodSource("operations")
    void wrong_requests_get_answers_that_are_documented(Operation operation) {
        for (String key : List.of("", "a-wrong-key-of-16", key(operation).orElse(""), keys.get("adminKey"),
                keys.get("tenantKey"))) {
            for (String body : List.of("", "{", "x".repeat(100_000))) {
                if (operation.method.equals("post") || body.isEmpty()) {
                    assertDocumented(operation, send(operation, operation.method, key, body));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("operations")
    void other_methods_are_not_allowed(Operation operation) {
        for (String method : METHODS) {
            if (!operation.server.equals("9404") && !DOCUMENT.get("paths").get(operation.path).has(method)) {
                assertThat(send(operation, method, key(operation).orElse(""), "").statusCode()).as(method)
                        .isEqualTo(405);
            }
        }
    }

    @Test
    void every_route_is_documented() throws IOException {
        Set<String> routes = new TreeSet<>();
        matches("case \"(/[^\"]+)\"", Files.readString(ROUTES)).forEach(routes::add);
        routes.addAll(List.of(
                ItemsApi.ITEM + "{id}", Console.PATH, Console.PATH + "/console.css", Console.PATH + "/console.js"));
        // Their answers to other paths list the paths.
        String paths = gateway.send("GET", "/admin/nothing", GatewayUnderTest.ADMIN_KEY, "").body()
                + work.post("nothing", "{}").body();
        matches("(/(?:admin|v1)/[A-Za-z:/-]*[A-Za-z])", paths).forEach(path -> routes.add(
                path.replace("/TENANT", "/{tenant}").replace("/ID", "/{run}").replace("/POSITION", "/{position}")));

        assertThat(routes).hasSizeGreaterThan(10);
        assertThat(fieldNames(DOCUMENT.get("paths"))).containsExactlyInAnyOrderElementsOf(routes);
    }

    @Test
    void every_reference_leads_somewhere_and_every_operation_has_a_name_of_its_own() throws IOException {
        matches("\\$ref: \"#([^\"]+)\"", Files.readString(PAGE)).forEach(reference ->
                assertThat(DOCUMENT.at(reference).isMissingNode()).as(reference).isFalse());
        assertThat(operations().stream().map(each -> each.method + each.path).distinct().count())
                .isEqualTo(operations().stream().map(each -> each.description.get("operationId")).distinct().count());
    }

    @Test
    void the_kinds_of_problems_have_documented_statuses() {
        Set<String> documented = operations().stream()
                .flatMap(each -> fieldNames(each.description.get("responses")).stream()).collect(Collectors.toSet());
        Stream.of(Problem.Kind.values()).filter(kind -> kind != Problem.Kind.METHOD_NOT_ALLOWED)
                .forEach(kind -> assertThat(documented).as(kind.label).contains("" + kind.status));
    }

    private static HttpResponse<String> send(Operation operation, String method, String key, String body) {
        String path = operation.path.replace("{tenant}", "acme").replace("{run}", run).replace("{position}", "0-7")
                .replace("{id}", "order-1");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(urls.get(operation.server) + path))
                .method(method.toUpperCase(Locale.ROOT), HttpRequest.BodyPublishers.ofString(body));
        if (!key.isEmpty()) {
            request.header("Authorization", "Bearer " + key);
        }
        return gateway.send(request.build());
    }

    private static Optional<String> key(Operation operation) {
        JsonNode security = operation.description.get("security");
        return security.isEmpty() ? Optional.empty() : Optional.of(keys.get(fieldNames(security.get(0)).getFirst()));
    }

    private static String rightBody(Operation operation) {
        JsonNode schema = resolved(operation.description.at("/requestBody/content/application~1json/schema"));
        if (operation.path.equals("/v1/work:lease")) {
            work.item("leased");
            return "{\"max\":1,\"waitMillis\":30000}";
        } else if (operation.path.equals("/admin/actions") && operation.method.equals("post")) {
            return "{\"action\":\"pause\",\"tenant\":\"acme\"}";
        } else if (operation.path.startsWith("/admin/runs")) {
            return operation.path.equals("/admin/runs") && operation.method.equals("post")
                    ? "{\"kind\":\"discard\",\"filter\":{\"tenant\":\"acme\"}}" : "";
        } else if (schema.path("properties").has("answers")) {
            work.item("answered");
            return "{\"answers\":[{\"outcome\":\"done\",\"receipt\":" + work.lease(1).get(0).get("receipt") + "}]}";
        } else if (!schema.path("properties").has("receipt")) {
            return operation.method.equals("post") ? "{\"payload\":\"x\"}" : "";
        }
        work.item("answered");
        StringBuilder body = new StringBuilder("{\"receipt\":" + work.lease(1).get(0).get("receipt"));
        schema.get("required").forEach(name -> body.append(switch (name.textValue()) {
            case "afterMillis" -> ",\"afterMillis\":5";
            case "reason" -> ",\"reason\":\"broken\"";
            default -> "";
        }));
        return body.append('}').toString();
    }

    /** Asserts that the status, the media type and the JSON of a response are as the operation says. */
    private static void assertDocumented(Operation operation, HttpResponse<String> response) {
        JsonNode described = operation.description.get("responses").get("" + response.statusCode());
        assertThat(described).as(operation + ": " + response.statusCode() + " " + response.body()).isNotNull();
        String type = response.headers().firstValue("Content-Type").orElse("").replaceAll(";.*", "");
        JsonNode content = resolved(described).get("content");
        // The server of the metrics port names no type for its two probes.
        if (!(operation.server.equals("9404") && type.isEmpty())) {
            assertThat(fieldNames(content)).as(operation.toString()).contains(type);
        }
        if (type.endsWith("json")) {
            List<String> problems = new ArrayList<>();
            conform(resolved(content.get(type).get("schema")), json(response.body()), "", problems);
            assertThat(problems).as(response.body()).isEmpty();
        }
    }

    /** Collects what contradicts a schema: types, required members, fixed values and unknown members. */
    private static void conform(JsonNode schema, JsonNode value, String at, List<String> problems) {
        Map<String, Predicate<JsonNode>> types = Map.of("object", JsonNode::isObject, "array", JsonNode::isArray,
                "string", JsonNode::isTextual, "integer", JsonNode::isIntegralNumber, "number", JsonNode::isNumber,
                "null", JsonNode::isNull, "boolean", JsonNode::isBoolean);
        JsonNode type = schema.path("type");
        List<String> allowed = type.isArray() ? texts(type) : type.isTextual() ? List.of(type.textValue()) : List.of();
        if (!allowed.isEmpty() && allowed.stream().noneMatch(each -> types.get(each).test(value))) {
            problems.add(at + " is not " + allowed);
        }
        texts(schema.path("required")).stream().filter(name -> !value.has(name))
                .forEach(name -> problems.add(at + " has no " + name));
        if (schema.has("enum") && !texts(schema.get("enum")).contains(value.textValue())) {
            problems.add(at + " is not one of " + schema.get("enum"));
        }
        if (schema.has("pattern") && !Pattern.compile(schema.get("pattern").textValue()).matcher(value.textValue())
                .find()) {
            problems.add(at + " does not match " + schema.get("pattern"));
        }
        schema.path("properties").properties().stream().filter(each -> value.has(each.getKey())).forEach(each ->
                conform(resolved(each.getValue()), value.get(each.getKey()), at + "/" + each.getKey(), problems));
        if (schema.has("items")) {
            value.forEach(each -> conform(resolved(schema.get("items")), each, at + "/*", problems));
        }
    }

    private static JsonNode resolved(JsonNode node) {
        return node.has("$ref") ? DOCUMENT.at(node.get("$ref").textValue().substring(1)) : node;
    }

    private static List<String> texts(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).map(JsonNode::textValue).toList();
    }

    private static List<String> fieldNames(JsonNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static List<String> matches(String pattern, String text) {
        return Pattern.compile(pattern).matcher(text).results().map((MatchResult each) -> each.group(1)).toList();
    }

    private static JsonNode json(String text) {
        try {
            // A batch has one object per line; the first one stands for all.
            return new JsonMapper().readTree(text);
        } catch (IOException e) {
            throw new AssertionError(text, e);
        }
    }

    private static JsonNode document() {
        try {
            // It resolves aliases, which Jackson does not.
            Object yaml = new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(PAGE));
            return new JsonMapper().valueToTree(yaml);
        } catch (IOException e) {
            throw new AssertionError(PAGE.toString(), e);
        }
    }
}
