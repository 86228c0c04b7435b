package io.spillway;

import static io.spillway.HelmChart.ALL;
import static io.spillway.HelmChart.LEAST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.marcnuri.helm.LintResult;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.settings.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The Helm chart, linted and rendered by Helm itself. */
class HelmChartTest {
    private static final List<String> ROLES = List.of("gateway", "router", "worker");
    private static final Path ROOT = Path.of("..");

    @TempDir
    private Path directory;

    @Test
    void helm_finds_nothing_to_complain_about() {
        LintResult result = HelmChart.lint();

        assertThat(result.isFailed()).as(result.getMessages().toString()).isFalse();
    }

    @Test
    void without_a_cluster_nothing_is_rendered() {
        assertThatThrownBy(() -> HelmChart.render(directory, ""))
                .hasMessageContaining("Set config.kafka.bootstrapServers to the addresses of your Kafka cluster.");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "wroker: {replicas: 3}",
        "worker: {replica: 3}",
        "config: {kafka: {bootstrapServers: 'a:1'}, gateway: {port: 80}}",
        "config: {kafka: {bootstrapServers: 'a:1'}, wroker: {slots: 3}}",
        "config: {kafka: {bootstrapServers: 'a:1'}, worker.slots: 3}",
        "config: {kafka: {bootstrapServers: 'a:1', prefix: 0123}}",
        "config: {kafka: {bootstrapServers: 'a:1', properties: {client: {rack: 2.10}}}}",
        "config: {kafka: {bootstrapServers: 'a:1'}, handler: {http: {headers: {X-Country: no}}}}",
        "worker: {pools: {Spare: 1}}",
        "worker: {pools: {shared: 1}}",
        "terminationGracePeriodSeconds: 30"
    })
    void a_value_that_would_have_no_effect_or_harm_is_refused(String wrong) {
        assertThatThrownBy(() -> HelmChart.render(directory, wrong.startsWith("config") ? wrong : LEAST + wrong))
                .hasMessageContaining("values don't meet the specifications of the schema");
    }

    @ParameterizedTest
    @ValueSource(strings = {LEAST, ALL})
    void every_pod_runs_without_root_rights_and_with_a_read_only_root(String values) throws IOException {
        HelmChart chart = HelmChart.render(directory, values);

        assertThat(chart.pods()).hasSize(4);
        String image = Files.readString(ROOT.resolve("Dockerfile"));
        for (JsonNode pod : chart.pods()) {
            JsonNode spec = pod.get("spec");
            assertThat(spec.get("automountServiceAccountToken").booleanValue()).isFalse();
            assertThat(spec.get("enableServiceLinks").booleanValue()).isFalse();
            assertThat(spec.at("/securityContext/runAsNonRoot").booleanValue()).isTrue();
            assertThat(image).as("runAsNonRoot needs a number").containsPattern("USER [1-9]\\d*\n");
            assertThat(spec.get("securityContext").has("runAsUser")).as("OpenShift chooses it").isFalse();
            assertThat(spec.at("/securityContext/seccompProfile/type").textValue()).isEqualTo("RuntimeDefault");
            JsonNode container = spec.at("/containers/0");
            JsonNode security = container.get("securityContext");
            assertThat(security.get("readOnlyRootFilesystem").booleanValue()).isTrue();
            assertThat(security.get("allowPrivilegeEscalation").booleanValue()).isFalse();
            assertThat(security.at("/capabilities/drop").toString()).isEqualTo("[\"ALL\"]");
            assertThat(container.at("/resources/limits/memory").textValue()).isNotBlank();
            List<String> mounted = container.get("volumeMounts").findValuesAsText("mountPath");
            assertThat(mounted).contains("/tmp", "/etc/spillway/spillway.yml");
            assertThat(mounted).anyMatch(path -> image.contains("WORKDIR " + path + "\n"));
        }
    }

    @Test
    void every_mount_has_a_volume() {
        HelmChart chart = HelmChart.render(directory, ALL);

        for (JsonNode pod : chart.pods()) {
            List<String> volumes = pod.at("/spec/volumes").findValuesAsText("name");
            List<String> claimed = HelmChart.component(pod).equals("router") ? List.of("data") : List.of();
            assertThat(pod.at("/spec/containers/0/volumeMounts").findValuesAsText("name")).allMatch(
                    name -> volumes.contains(name) != claimed.contains(name));
        }
        JsonNode claim = chart.object("StatefulSet", "-router").at("/spec/volumeClaimTemplates/0");
        assertThat(HelmChart.name(claim)).isEqualTo("data");
        assertThat(claim.at("/spec/storageClassName").textValue()).isEqualTo("fast");
    }

    @ParameterizedTest
    @ValueSource(strings = {LEAST, ALL})
    void the_configuration_can_be_loaded_and_its_ports_are_those_of_the_containers(String values) throws IOException {
        HelmChart chart = HelmChart.render(directory, values);

        Configuration loaded = chart.configuration(directory);

        assertThat(loaded.kafka().bootstrapServers()).startsWith("kafka-1:9092");
        assertThat(List.of(loaded.gateway().host(), loaded.metrics().host())).containsOnly("0.0.0.0");
        for (String role : ROLES) {
            JsonNode ports = chart.container(role).get("ports");
            assertThat(port(ports, "metrics")).isEqualTo(loaded.metrics().port());
            if (role.equals("gateway")) {
                assertThat(port(ports, "http")).isEqualTo(loaded.gateway().port());
            }
        }
    }

    @Test
    void all_values_reach_the_configuration_and_the_containers() throws IOException {
        HelmChart chart = HelmChart.render(directory, ALL);

        Configuration loaded = chart.configuration(directory);
        assertThat(loaded.kafka().properties())
                .containsEntry("ssl.truststore.location", "/etc/spillway/kafka/trust.p12");
        assertThat(loaded.topics().partitions()).isEqualTo(24);
        assertThat(loaded.topics().maxBytes()).as("Helm keeps numbers as floating point").isEqualTo(5_000_000);
        assertThat(loaded.handler().type()).isEqualTo("pull");
        JsonNode gateway = chart.container("gateway");
        assertThat(gateway.get("image").textValue()).isEqualTo("registry.example/spillway:1.2.3");
        assertThat(gateway.at("/envFrom/0/secretRef/name").textValue()).isEqualTo("kafka-login");
        assertThat(gateway.get("env")).extracting(each -> each.get("name").textValue())
                .containsExactly("JDK_JAVA_OPTIONS", "SPILLWAY_ADMIN_KEY", "SPILLWAY_VIEWER_KEY",
                        "SPILLWAY_GATEWAY_TLS_CERTIFICATE_FILE", "SPILLWAY_GATEWAY_TLS_KEY_FILE",
                        "SPILLWAY_METRICS_TENANTS");
        assertThat(gateway.get("env").get(1).at("/valueFrom/secretKeyRef/name").textValue()).isEqualTo("admin");
        assertThat(chart.pod("gateway").at("/spec/nodeSelector/pool").textValue()).isEqualTo("edge");
        assertThat(gateway.get("volumeMounts").findValuesAsText("mountPath"))
                .contains("/etc/spillway/tls", "/etc/spillway/kafka");
        assertThat(chart.kind("Secret")).extracting(HelmChart::name).as("others are referred to, never rendered")
                .containsExactly("queue-config");
    }

    /** Workers of type pull check the gateway's certificate too, because their own port has the same. */
    @Test
    void the_certificate_is_that_of_the_gateways_alone() throws IOException {
        HelmChart chart = HelmChart.render(directory, ALL);

        assertThat(chart.configuration(directory, "gateway").gateway().tls().certificateFile())
                .isEqualTo("/etc/spillway/tls/tls.crt");
        assertThat(chart.configuration(directory, "gateway").gateway().tls().keyFile())
                .isEqualTo("/etc/spillway/tls/tls.key");
        assertThat(chart.configuration(directory, "worker").gateway().tls().isOn()).isFalse();
    }

    @Test
    void every_file_that_a_role_reads_is_mounted_in_its_pod() {
        HelmChart chart = HelmChart.render(directory, ALL
                .replace("kafka: {prop", "kafka: {authentication: tls, userSecret: login, caSecret: ca, prop")
                .replace("{port: 8081}", "{port: 8081, keySecret: pull}"));

        for (JsonNode pod : chart.pods()) {
            JsonNode container = pod.at("/spec/containers/0");
            List<String> mounts = container.get("volumeMounts").findValuesAsText("mountPath");
            List<String> read = Pattern.compile("/etc/spillway/[\\w./-]+")
                    .matcher(chart.configured() + container.get("env") + container.get("args")).results()
                    .map(file -> file.group()).toList();
            assertThat(read).as(HelmChart.component(pod)).contains("/etc/spillway/user/user.p12").allMatch(
                    file -> mounts.stream().anyMatch(mount -> (file + "/").startsWith(mount + "/")));
        }
    }

    @Test
    void a_seed_or_password_of_the_configuration_is_in_a_secret_alone() {
        String secret = "8675309";
        HelmChart chart = HelmChart.render(directory, """
                config:
                  kafka:
                    bootstrapServers: 'kafka-1:9092'
                    properties: {sasl.jaas.config: 'password="8675309"'}
                  shards: {seed: 8675309}
                  gateway: {tls: {keystorePassword: '8675309'}}
                """);

        assertThat(chart.objects()).filteredOn(each -> each.toString().contains(secret)).singleElement()
                .satisfies(each -> assertThat(each.get("kind").textValue()).isEqualTo("Secret"));
        assertThat(chart.pods()).hasSize(4).allSatisfy(pod ->
                assertThat(pod.at("/spec/volumes").findValuesAsText("secretName")).contains("queue-config"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"gateway", "router", "worker"})
    void a_pod_runs_one_role_and_is_probed_where_that_role_answers(String role) {
        JsonNode container = HelmChart.render(directory, LEAST).container(role);

        assertThat(container.get("args").toString())
                .isEqualTo("[\"run\",\"--roles\",\"" + role + "\",\"--config\",\"/etc/spillway/spillway.yml\"]");
        Map.of("startupProbe", "/livez", "livenessProbe", "/livez", "readinessProbe", "/readyz")
                .forEach((probe, path) -> {
                    assertThat(container.at("/" + probe + "/httpGet/path").textValue()).isEqualTo(path);
                    assertThat(container.at("/" + probe + "/httpGet/port").textValue()).isEqualTo("metrics");
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"gateway", "router", "worker"})
    void a_stop_has_the_time_that_the_process_takes_for_it(String role) throws IOException {
        Matcher limit = Pattern.compile("STOP_LIMIT = Duration\\.ofSeconds\\((\\d+)\\)").matcher(Files.readString(
                Path.of("src/main/java/io/spillway/cli/system/RunCommand.java")));
        assertThat(limit.find()).isTrue();
        HelmChart chart = HelmChart.render(directory, LEAST);

        int sleep = chart.container(role).at("/lifecycle/preStop/sleep/seconds").asInt();
        int drain = !role.equals("worker") ? 0 : (int) ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of())
                .worker().drainGrace().toSeconds();

        assertThat(chart.pod(role).at("/spec/terminationGracePeriodSeconds").asInt())
                .isGreaterThan(sleep + drain + Integer.parseInt(limit.group(1)));
    }

    @ParameterizedTest
    @CsvSource({"Deployment, gateway", "StatefulSet, router", "Deployment, worker"})
    void a_role_is_kept_available_and_spread_over_nodes(String kind, String role) {
        HelmChart chart = HelmChart.render(directory, LEAST);

        JsonNode workload = chart.object(kind, "-" + role).get("spec");
        JsonNode selector = workload.at("/selector/matchLabels");
        assertSelects(selector, chart.pod(role));
        assertThat(workload.get("replicas").asInt()).isGreaterThan(1);
        JsonNode budget = chart.object("PodDisruptionBudget", "-" + role).get("spec");
        assertThat(budget.get("maxUnavailable").asInt()).isEqualTo(1);
        assertThat(budget.at("/selector/matchLabels")).isEqualTo(selector);
        assertThat(chart.pod(role).at("/spec/topologySpreadConstraints").findValuesAsText("topologyKey"))
                .containsExactly("topology.kubernetes.io/zone", "kubernetes.io/hostname");
        assertThat(chart.pod(role).at("/spec/topologySpreadConstraints/0/labelSelector/matchLabels"))
                .isEqualTo(selector);
    }

    @Test
    void services_lead_to_the_gateways_and_to_the_metrics_of_all_roles() {
        HelmChart chart = HelmChart.render(directory, ALL);

        JsonNode gateway = chart.object("Service", "-gateway").get("spec");
        assertSelects(gateway.get("selector"), chart.pod("gateway"));
        assertThat(gateway.at("/ports/0/targetPort").textValue()).isEqualTo("http");
        JsonNode metrics = chart.object("Service", "-metrics");
        ROLES.forEach(role -> assertSelects(metrics.at("/spec/selector"), chart.pod(role)));
        assertThat(chart.object("StatefulSet", "-router").at("/spec/serviceName").textValue())
                .isEqualTo(HelmChart.name(metrics));
        JsonNode monitor = chart.object("ServiceMonitor", "queue").get("spec");
        assertSelects(monitor.at("/selector/matchLabels"), metrics);
        assertThat(monitor.at("/endpoints/0/port")).isEqualTo(metrics.at("/spec/ports/0/name"));
    }

    @Test
    void a_mistake_in_the_configuration_stops_the_process_and_not_helm() {
        HelmChart chart = HelmChart.render(directory,
                "config: {kafka: {bootstrapServers: 'kafka-1:9092'}, worker: {slots: -1}}");

        assertThatThrownBy(() -> chart.configuration(directory)).isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("worker.slots = -1");
    }

    @ParameterizedTest
    @ValueSource(strings = {LEAST, LEAST + "worker: {autoscaling: {type: external}}", ALL})
    void kubernetes_knows_every_field_of_its_own_objects(String values) throws IOException {
        List<JsonNode> own = HelmChart.render(directory, values).objects().stream()
                .filter(each -> !List.of(
                                "monitoring.coreos.com/v1", "keda.sh/v1alpha1", "gateway.networking.k8s.io/v1")
                        .contains(each.get("apiVersion").textValue()))
                .toList();

        assertThat(own).hasSizeGreaterThan(8);
        for (JsonNode each : own) {
            HelmChart.check(each);
        }
    }

    @Test
    void a_misspelt_field_would_be_found() {
        ObjectNode router = HelmChart.render(directory, LEAST).object("StatefulSet", "-router").deepCopy();
        ((ObjectNode) router.at("/spec/template/spec/containers/0/livenessProbe")).put("periodSecond", 1);

        assertThatThrownBy(() -> HelmChart.check(router)).hasMessageContaining("`periodSecond`");
    }

    @ParameterizedTest
    @ValueSource(strings = {LEAST, ALL})
    void no_field_is_without_a_value(String values) {
        assertThat(HelmChart.render(directory, values).objects())
                .allSatisfy(each -> assertThat(each.toString()).doesNotContain(":null"));
    }

    private static int port(JsonNode ports, String name) {
        for (JsonNode each : ports) {
            if (each.get("name").textValue().equals(name)) {
                return each.get("containerPort").asInt();
            }
        }
        throw new AssertionError("no port " + name + " in " + ports);
    }

    private static void assertSelects(JsonNode selector, JsonNode labelled) {
        assertThat(selector.properties()).isNotEmpty();
        assertThat(labelled.at("/metadata/labels").properties()).containsAll(selector.properties());
    }
}
