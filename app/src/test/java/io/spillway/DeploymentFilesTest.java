package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.ratelimit.ProportionalRates;
import io.spillway.gateway.AdminKey;
import io.spillway.gateway.Gateway;
import io.spillway.handler.Outcome;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.view.ApiKeys;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.operator.QueueForTests;
import io.spillway.operator.report.FakeReads;
import io.spillway.router.Router;
import io.spillway.runtime.MetricsServer;
import io.spillway.tracing.Tracing;
import io.spillway.worker.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The deployment files use only settings, metrics, roles and modules that exist. */
class DeploymentFilesTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern OUR_METRIC = Pattern.compile("\\bspillway_[a-z0-9_]+");
    private static final Pattern RECORDED = Pattern.compile("\\bspillway:[a-z0-9_:]+[a-z0-9_]");
    private static final Pattern OF_PROCESS = Pattern.compile("\\b(jvm|process|system)_[a-z0-9_]+");
    private static final Pattern METRIC = Pattern.compile("\\b(spillway|kafka)_[a-z0-9_]+");

    /** Names of the metrics of a router, a worker and a gateway, read once for all files. */
    private static Set<String> metricsOfAllRoles;

    @Test
    void every_variable_of_a_compose_service_is_a_setting() throws IOException {
        JsonNode services = new YAMLMapper().readTree(ROOT.resolve("docker-compose.yml").toFile()).get("services");
        int ours = 0;
        for (Map.Entry<String, JsonNode> service : services.properties()) {
            Map<String, String> environment = new LinkedHashMap<>();
            service.getValue().path("environment").properties()
                    .forEach(variable -> environment.put(variable.getKey(), variable.getValue().asText()));
            ours += (int) environment.keySet().stream().filter(name -> name.startsWith("SPILLWAY_")).count();
            assertIsTaken(service.getKey(), environment);
        }
        assertThat(ours).as("variables found").isGreaterThan(3);
    }

    @Test
    void every_variable_of_the_image_is_a_setting_or_belongs_to_the_launcher() throws IOException {
        Map<String, String> environment = new LinkedHashMap<>();
        for (String line : Files.readAllLines(ROOT.resolve("Dockerfile"))) {
            if (line.startsWith("ENV ")) {
                environment.put(line.substring(4, line.indexOf('=')), line.substring(line.indexOf('=') + 1));
            }
        }
        assertThat(environment).containsKey("SPILLWAY_JAVA_OPTS");
        assertIsTaken("Dockerfile", environment);
    }

    @Test
    void the_image_contains_the_licence_and_is_built_from_every_module() throws IOException {
        String pom = Files.readString(ROOT.resolve("pom.xml"));
        List<String> allowed = Files.readAllLines(ROOT.resolve(".dockerignore"));
        Pattern.compile("<module>(.+)</module>").matcher(pom.substring(0, pom.indexOf("</modules>"))).results()
                .map(module -> module.group(1))
                .forEach(module -> assertThat(allowed.contains("!" + module)
                        || allowed.containsAll(List.of("!" + module + "/pom.xml", "!" + module + "/src/main")))
                        .as(module).isTrue());
        assertThat(allowed).contains("!LICENSE", "!NOTICE");
        assertThat(Files.readString(ROOT.resolve("Dockerfile")))
                .contains("COPY spillway LICENSE NOTICE /opt/spillway/\n");
    }

    @Test
    void a_build_without_tests_has_no_system_tests_either() throws IOException {
        assertThat(Files.readString(ROOT.resolve("pom.xml")))
                .contains("<skipTests>false</skipTests>", "<skipITs>${skipTests}</skipITs>");
    }

    @Test
    void the_group_that_a_container_with_any_user_has_may_write_where_the_image_does() throws IOException {
        String dockerfile = Files.readString(ROOT.resolve("Dockerfile"));
        int mode = dockerfile.indexOf("&& chgrp -R 0 /var/lib/spillway && chmod -R g=u /var/lib/spillway");

        assertThat(mode).as("before it is a volume, since later changes are lost").isBetween(
                dockerfile.indexOf("--create-home --home-dir /var/lib/spillway"),
                dockerfile.indexOf("VOLUME /var/lib/spillway"));
    }

    /** Neither the BOM, which has no parent, nor the chart can refer to it. */
    @Test
    void bom_and_chart_have_the_version_of_the_project_and_the_bom_every_module_that_ships() throws IOException {
        String bom = Files.readString(ROOT.resolve("bom/pom.xml"));
        String pom = Files.readString(ROOT.resolve("pom.xml"));
        Pattern version = Pattern.compile("<version>(.+)</version>");
        String ours = version.matcher(pom).results().findFirst().orElseThrow().group(1);

        assertThat(version.matcher(bom).results().findFirst().orElseThrow().group(1)).isEqualTo(ours);
        assertThat(Files.readString(HelmChart.DIRECTORY.resolve("Chart.yaml"))).contains("appVersion: " + ours + "\n");
        assertThat(Pattern.compile("<artifactId>spillway-(.+)</artifactId>").matcher(bom).results()
                        .map(artifact -> artifact.group(1)).skip(1))
                .as("after the BOM itself").containsExactlyElementsOf(Pattern.compile("<module>(.+)</module>")
                        .matcher(pom.substring(0, pom.indexOf("</modules>"))).results()
                        .map(module -> module.group(1)).filter(module -> !module.startsWith("examples/")).toList());
    }

    @Test
    void the_variable_that_the_health_check_reads_is_a_setting() throws IOException {
        assertThat(Files.readString(ROOT.resolve("deploy/healthy"))).contains("${SPILLWAY_METRICS_PORT:-9404}");
        assertThat(portWith(Map.of())).isEqualTo(9404);
        assertThat(portWith(Map.of("SPILLWAY_METRICS_PORT", "9999"))).as("the value is used").isEqualTo(9999);
    }

    @ParameterizedTest
    @MethodSource("filesWithMetrics")
    void every_spillway_metric_in_a_query_exists(Path file) throws IOException {
        Set<String> asked = new TreeSet<>();
        OUR_METRIC.matcher(Files.readString(file)).results().forEach(found -> asked.add(found.group()));

        assertThat(asked).as("found in %s", file).isNotEmpty();
        assertThat(metricsOfAllRoles).containsAll(asked);
    }

    @ParameterizedTest
    @MethodSource("filesWithMetrics")
    void every_recorded_series_in_a_query_is_recorded(Path file) throws IOException {
        JsonNode groups = new YAMLMapper().readTree(ROOT.resolve("deploy/prometheus/rules.yml").toFile()).get("groups");
        Set<String> recorded = new TreeSet<>();
        groups.forEach(group -> group.get("rules").forEach(rule -> recorded.add(rule.path("record").asText())));

        assertThat(recorded).hasSizeGreaterThan(3)
                .containsAll(RECORDED.matcher(Files.readString(file)).results().map(found -> found.group()).toList());
    }

    @Test
    void every_metric_of_the_process_in_a_query_exists() throws IOException {
        Set<String> asked = new TreeSet<>();
        for (Path file : filesWithMetrics().toList()) {
            OF_PROCESS.matcher(Files.readString(file)).results().forEach(found -> asked.add(found.group()));
        }
        // Registered at the first collection of garbage.
        assertThat(asked.remove("jvm_gc_pause_seconds_sum")).isTrue();
        Configuration configuration = ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of());
        try (MetricsServer server = new MetricsServer(configuration.metrics(), "orders", Tracing.OFF, () -> true)) {
            String scraped = server.registry().scrape();
            assertThat(asked).isNotEmpty()
                    .allSatisfy(metric -> assertThat(scraped).containsPattern("(?m)^" + metric + "[{ ]"));
        }
    }

    static Stream<Path> filesWithMetrics() throws IOException {
        try (Stream<Path> dashboards = Files.list(ROOT.resolve("deploy/grafana/dashboards"))) {
            return Stream.concat(
                    Stream.of("prometheus/rules.yml", "prometheus/rules_test.yml",
                            "helm/spillway/templates/autoscaling.yaml").map(ROOT.resolve("deploy")::resolve),
                    dashboards.filter(file -> file.toString().endsWith(".json")).toList().stream());
        }
    }

    @Test
    void every_role_has_its_own_service_and_is_scraped() throws IOException {
        JsonNode services = new YAMLMapper().readTree(ROOT.resolve("docker-compose.yml").toFile()).get("services");
        JsonNode scraped = new YAMLMapper().readTree(ROOT.resolve("deploy/prometheus/prometheus.yml").toFile())
                .at("/scrape_configs/0/dns_sd_configs/0");
        for (String role : List.of("router", "worker", "gateway")) {
            assertThat(services.at("/" + role + "/command").toString())
                    .isEqualTo("[\"run\",\"--roles\",\"" + role + "\"]");
            assertThat(services.at("/" + role + "/environment/SPILLWAY_METRICS_HOST").textValue()).isEqualTo("0.0.0.0");
            assertThat(services.at("/" + role + "/expose/0").textValue()).isEqualTo(scraped.get("port").asText());
            assertThat(scraped.get("names").toString()).contains("\"" + role + "\"");
        }
    }

    @Test
    void every_alert_has_a_test_that_it_fires_and_is_silent_in_calm_weather_and_a_runbook() throws IOException {
        JsonNode groups = new YAMLMapper().readTree(ROOT.resolve("deploy/prometheus/rules.yml").toFile()).get("groups");
        String[] tests = Files.readString(ROOT.resolve("deploy/prometheus/rules_test.yml"))
                .split("(?m)^  - name: ", 3);
        assertThat(tests[1]).startsWith("no alert in normal operation");
        List<String> runbook = Files.readAllLines(ROOT.resolve("docs/runbook.md"));
        int alerts = 0;
        for (JsonNode group : groups) {
            for (JsonNode rule : group.get("rules")) {
                if (rule.has("alert")) {
                    alerts++;
                    String alert = rule.get("alert").textValue();
                    assertThat(tests[1]).contains("alertname: " + alert + ",");
                    assertThat(tests[2]).containsPattern("\\b" + alert + "\\b");
                    assertThat(rule.at("/annotations/runbook").textValue())
                            .isEqualTo("docs/runbook.md#" + alert.toLowerCase(Locale.ROOT));
                    assertThat(runbook).contains("## " + alert);
                    assertThat(rule.at("/annotations").properties().stream().map(Map.Entry::getKey))
                            .as(alert).containsExactly("summary", "meaning", "action", "runbook");
                    assertThat(rule.at("/labels/severity").textValue()).isIn("info", "warning", "critical");
                }
            }
        }
        assertThat(alerts).isGreaterThan(15);
    }

    /** An alert leads to a panel that shows at least one of its metrics. */
    @Test
    void every_alert_has_a_panel() throws IOException {
        String dashboard = Files.readString(ROOT.resolve("deploy/grafana/dashboards/spillway.json"));
        JsonNode groups = new YAMLMapper().readTree(ROOT.resolve("deploy/prometheus/rules.yml").toFile()).get("groups");
        Map<String, String> recorded = new LinkedHashMap<>();
        for (JsonNode group : groups) {
            for (JsonNode rule : group.get("rules")) {
                String query = rule.get("expr").textValue();
                for (Map.Entry<String, String> each : recorded.entrySet()) {
                    query = query.replace(each.getKey(), each.getValue());
                }
                if (rule.has("record")) {
                    recorded.put(rule.get("record").textValue(), query);
                } else {
                    assertThat(METRIC.matcher(query).results().map(found -> found.group()))
                            .as(rule.get("alert").textValue())
                            .anyMatch(metric -> dashboard.contains(metric));
                }
            }
        }
    }

    /** Other people's Prometheus has other jobs, and no labels of ours on its targets. */
    @ParameterizedTest
    @MethodSource("filesWithMetrics")
    void no_query_selects_by_a_label_of_the_targets(Path file) throws IOException {
        String text = Files.readString(file).replace("\\\"", "\"");
        // The series of a rule's test have some job.
        Pattern label = Pattern.compile(
                file.endsWith("rules_test.yml") ? "role=\"[^\"]*\"" : "(role|job|instance)=~?\"[^\"]*\"");

        assertThat(label.matcher(text).results().map(found -> found.group())).isEmpty();
    }

    /** Otherwise a healthy queue hides the alert of another. */
    @Test
    void every_aggregation_of_a_rule_keeps_namespace_and_queue() throws IOException {
        Pattern other = Pattern.compile(
                "(?<![:\\w])(sum|max|min|avg|count|group|topk)\\b(?! (by \\(namespace, queue|without))(?!:)");
        JsonNode groups = new YAMLMapper().readTree(ROOT.resolve("deploy/prometheus/rules.yml").toFile()).get("groups");
        groups.forEach(group -> group.get("rules").forEach(
                rule -> assertThat(rule.get("expr").textValue()).doesNotContainPattern(other)));
    }

    @Test
    void every_role_is_known_by_a_metric_that_it_alone_has() throws IOException {
        String rules = Files.readString(ROOT.resolve("deploy/prometheus/rules.yml"));
        for (String metric : List.of("spillway_router_rate_states", "spillway_slots", "spillway_gateway_in_flight")) {
            assertThat(rules).contains(
                    "count by (namespace, queue) (" + metric + ")\n", "last_over_time(" + metric + "[6h])\n");
        }
    }

    /** Reads the Prometheus names of all metrics of a router, a worker and a gateway that are not started. */
    @BeforeAll
    static void readMetrics(@TempDir Path state) {
        Configuration configuration = ConfigurationLoader.load(
                Optional.empty(), Map.of("SPILLWAY_KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:1",
                        "SPILLWAY_TOPICS_RETENTION", "7d",
                        "SPILLWAY_ROUTER_SOURCES_S_TOPIC", "orders", "SPILLWAY_ROUTER_SOURCES_S_TENANT", "key"),
                Map.of());
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        TenantPolicies policies = new TenantPolicies(configuration.defaults());
        Sweeps sweeps = new Sweeps();
        try (Router router = new Router(configuration, "test", state, policies, sweeps,
                        new ShardAssignments(), registry, InstantSource.system(), System::nanoTime);
                Worker worker = new Worker(configuration.queue(), configuration.worker(),
                        configuration.metrics().tenants(), "test", StartDelays.of("test"),
                        delivery -> Outcome.done(), policies, sweeps, registry, Tracing.OFF,
                        InstantSource.system(), System::nanoTime, new SplittableRandom(1));
                Gateway gateway = new Gateway(configuration,
                        new Gateway.Dependencies(policies, new ApiKeys(), AdminKey.of("0123456789abcdef"),
                                Optional.empty(), QueueForTests.operator(configuration), new Depths(),
                                new ProportionalRates(), registry, () -> "", () -> true,
                                sweeps, new FakeReads(), Optional.empty()),
                        new Gateway.Sources(InstantSource.system(), System::nanoTime, () -> 1))) {
            assertThat(router.isRunning() || worker.isRunning() || gateway.isReady()).isFalse();
            Set<String> names = new TreeSet<>();
            // Registered for a tenant that has them, with a certificate, and when the disks have been measured.
            names.addAll(List.of("spillway_destination_unavailable", "spillway_at_cap",
                    "spillway_enqueued_at_skew_seconds", "spillway_certificate_expires_seconds",
                    "spillway_disk_free_bytes", "spillway_disk_total_bytes"));
            registry.scrape().lines()
                    .filter(line -> !line.startsWith("#"))
                    .forEach(line -> names.add(line.split("[{ ]")[0]));
            metricsOfAllRoles = names;
        }
    }

    private static int portWith(Map<String, String> environment) {
        return ConfigurationLoader.load(Optional.empty(), environment, Map.of()).metrics().port();
    }

    private static void assertIsTaken(String where, Map<String, String> environment) {
        assertThatCode(() -> ConfigurationLoader.load(Optional.empty(), environment, Map.of()))
                .as(where).doesNotThrowAnyException();
    }
}
