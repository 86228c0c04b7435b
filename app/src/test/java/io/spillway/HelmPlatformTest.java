package io.spillway;

import static io.spillway.HelmChart.ALL;
import static io.spillway.HelmChart.LEAST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The Helm chart with Kafka by Strimzi, on OpenShift, and behind the platform's own gateways. */
class HelmPlatformTest {
    private static final String STRIMZI = """
            config: {kafka: {bootstrapServers: 'main-kafka-bootstrap:9093'}}
            kafka: {authentication: %s, userSecret: spillway, caSecret: main-cluster-ca-cert}
            topics: {userSecret: spillway-operator}
            router: {userSecret: spillway-router}
            """;

    @TempDir
    private Path directory;

    @ParameterizedTest(name = "{0}: {1} from {2}")
    @CsvSource({
        "scram, SPILLWAY_KAFKA_PROPERTIES_SASL_JAAS_CONFIG, sasl.jaas.config",
        "tls, SPILLWAY_KAFKA_PROPERTIES_SSL_KEYSTORE_PASSWORD, user.password"
    })
    void each_role_and_the_job_of_topics_log_in_with_the_secret_that_strimzi_writes(
            String authentication, String variable, String key) throws IOException {
        HelmChart chart = HelmChart.render(directory, STRIMZI.formatted(authentication));
        Map<String, String> secrets = Map.of("gateway", "spillway", "router", "spillway-router", "worker", "spillway",
                "topics", "spillway-operator");
        secrets.forEach((role, secret) -> {
            JsonNode login = chart.container(role).at("/env/0");
            assertThat(login.get("name").textValue()).isEqualTo(variable);
            assertThat(login.at("/valueFrom/secretKeyRef/name").textValue()).as(role).isEqualTo(secret);
            assertThat(login.at("/valueFrom/secretKeyRef/key").textValue()).isEqualTo(key);
            List<String> volumes = chart.pod(role).at("/spec/volumes").findValuesAsText("secretName");
            assertThat(volumes).contains("main-cluster-ca-cert");
            assertThat(volumes.contains(secret)).as("only files of TLS are mounted").isEqualTo(
                    authentication.equals("tls"));
        });
        Map<String, String> properties = chart.configuration(directory).kafka().properties();
        assertThat(properties).containsEntry("ssl.truststore.type", "PEM")
                .containsEntry("ssl.truststore.location", "/etc/spillway/ca/ca.crt")
                .containsEntry("security.protocol", authentication.equals("tls") ? "SSL" : "SASL_SSL");
        assertThat(properties.get(authentication.equals("tls") ? "ssl.keystore.location" : "sasl.mechanism"))
                .isEqualTo(authentication.equals("tls") ? "/etc/spillway/user/user.p12" : "SCRAM-SHA-512");
    }

    @Test
    void the_pod_for_commands_that_the_page_makes_of_the_job_of_topics_logs_in_as_an_operator() throws Exception {
        String page = Files.readString(Path.of("..", "docs", "kubernetes.md"));
        Matcher edit = Pattern.compile("(?s)--show-only templates/topics.yaml \\| \\\\\n *(sed '.+?')").matcher(page);
        assertThat(edit.find()).isTrue();
        Path manifests = Files.writeString(
                directory.resolve("manifests"), HelmChart.manifests(directory, STRIMZI.formatted("scram")));
        Process sed = new ProcessBuilder("bash", "-c", edit.group(1)).redirectInput(manifests.toFile()).start();

        HelmChart chart = HelmChart.of(new String(sed.getInputStream().readAllBytes(), StandardCharsets.UTF_8));

        HelmChart.check(chart.object("Job", "queue-operator"));
        JsonNode container = chart.container("topics");
        assertThat(container.get("command").toString()).isEqualTo("[\"sleep\",\"8h\"]");
        assertThat(container.has("args")).isFalse();
        assertThat(container.at("/resources/limits/memory").textValue()).isEqualTo("1Gi");
        assertThat(container.at("/env/0/valueFrom/secretKeyRef/name").textValue()).isEqualTo("spillway-operator");
        assertThat(page).contains("exec -it job/spillway-operator", "--config /etc/spillway/spillway.yml");
        assertThat(container.get("volumeMounts").findValuesAsText("mountPath")).contains("/etc/spillway/spillway.yml");
    }

    @Test
    void properties_of_the_configuration_take_precedence() throws IOException {
        HelmChart chart = HelmChart.render(directory, STRIMZI.formatted("scram").replace("9093'",
                "9093', properties: {sasl.mechanism: SCRAM-SHA-256, linger.ms: '5'}"));
        assertThat(chart.configuration(directory).kafka().properties()).containsEntry("sasl.mechanism", "SCRAM-SHA-256")
                .containsEntry("linger.ms", "5").containsEntry("security.protocol", "SASL_SSL");
    }

    @Test
    void a_login_without_a_secret_is_refused() {
        assertThatThrownBy(() -> HelmChart.render(directory, LEAST + "kafka: {authentication: scram}"))
                .hasMessageContaining("userSecret: kafka.authentication needs it.");
    }

    @Test
    void on_openshift_the_cluster_chooses_user_and_group() {
        HelmChart chart = HelmChart.render(directory, LEAST + "fsGroup: 0");
        assertThat(chart.pods()).allSatisfy(pod -> assertThat(pod.at("/spec/securityContext").toString())
                .isEqualTo("{\"runAsNonRoot\":true,\"seccompProfile\":{\"type\":\"RuntimeDefault\"}}"));
        assertThat(HelmChart.render(directory, LEAST).pod("router").at("/spec/securityContext/fsGroup").asInt())
                .as("elsewhere, the volume of a router must be writable").isEqualTo(10_001);
    }

    @Test
    void ingress_and_route_lead_to_the_service_of_the_gateways() {
        HelmChart chart = HelmChart.render(directory, ALL);
        String service = HelmChart.name(chart.object("Service", "-gateway"));
        JsonNode ingress = chart.object("Ingress", "-gateway").get("spec");
        assertThat(ingress.at("/rules/0/http/paths/0/backend/service/name").textValue()).isEqualTo(service);
        assertThat(ingress.at("/rules/0/host").textValue()).isEqualTo("queue.example");
        assertThat(ingress.at("/tls/0/secretName").textValue()).isEqualTo("web");
        JsonNode route = chart.object("HTTPRoute", "-gateway").get("spec");
        assertThat(route.at("/rules/0/backendRefs/0/name").textValue()).isEqualTo(service);
        assertThat(route.at("/rules/0/backendRefs/0/port")).isEqualTo(
                chart.object("Service", "-gateway").at("/spec/ports/0/port"));
        assertThat(HelmChart.render(directory, LEAST).objects()).extracting(each -> each.get("kind").textValue())
                .doesNotContain("Ingress", "HTTPRoute", "NetworkPolicy", "PrometheusRule");
    }

    @Test
    void policies_open_the_ports_of_a_role_alone() {
        HelmChart chart = HelmChart.render(directory, ALL);
        assertThat(ports(chart, "gateway")).containsExactly("metrics", "http");
        assertThat(ports(chart, "router")).containsExactly("metrics");
        assertThat(ports(chart, "worker")).containsExactly("metrics", "pull");
        JsonNode gateway = chart.object("NetworkPolicy", "-gateway").get("spec");
        assertThat(gateway.at("/ingress/1/from/0/podSelector/matchLabels/app").textValue()).isEqualTo("shop");
        assertThat(gateway.at("/ingress/0/from/0").has("namespaceSelector")).isTrue();
        assertThat(gateway.at("/podSelector/matchLabels")).isEqualTo(
                chart.object("Deployment", "-gateway").at("/spec/selector/matchLabels"));
    }

    @Test
    void each_pool_of_workers_is_a_deployment_apart_from_the_shared_one() {
        HelmChart chart = HelmChart.render(
                directory, LEAST + "worker: {pools: {spare: 3}, pull: {port: 8081}}\nnetworkPolicy: {enabled: true}");
        JsonNode pool = chart.object("Deployment", "-worker-spare");
        assertThat(pool.at("/spec/replicas").asInt()).isEqualTo(3);
        assertThat(chart.container("worker-spare").get("args")).isEqualTo(chart.container("worker").get("args"));
        assertThat(chart.container("worker-spare").get("env").toString())
                .contains("{\"name\":\"SPILLWAY_WORKER_POOL\",\"value\":\"spare\"}");
        assertThat(chart.container("worker").toString()).doesNotContain("WORKER_POOL");
        assertThat(chart.object("Deployment", "-worker").at("/spec/replicas").asInt()).isEqualTo(2);
        String[] selectors = {
            chart.object("PodDisruptionBudget", "-worker-spare").at("/spec/selector").toString(),
            chart.object("NetworkPolicy", "-worker-spare").at("/spec/podSelector").toString(),
            pool.at("/spec/selector").toString()
        };
        assertThat(selectors).allMatch(selector -> selector.contains("\"worker-spare\""));
        assertThat(chart.object("Service", "-pull-spare").at("/spec/selector").toString()).contains("worker-spare");
        assertThat(HelmChart.render(directory, LEAST).objects()).noneMatch(
                each -> HelmChart.name(each).endsWith("-worker-"));
    }

    @Test
    void external_workers_reach_the_pull_port_as_sidecars_or_by_a_service() throws IOException {
        HelmChart chart = HelmChart.render(directory, ALL);
        assertThat(chart.object("Service", "-pull").at("/spec/ports/0/port").asInt()).isEqualTo(8081);
        assertThat(chart.pod("worker").at("/spec/containers").findValuesAsText("name")).contains("worker", "work");
        assertThat(chart.configuration(directory).handler().type()).isEqualTo("pull");
        assertThat(chart.object("Service", "-pull").at("/spec/sessionAffinity").textValue()).isEqualTo("ClientIP");
    }

    @Test
    void with_a_secret_of_pull_any_worker_takes_an_answer() {
        HelmChart chart = HelmChart.render(
                directory, LEAST + "worker: {pull: {port: 8081, keySecret: pull}}\n");
        assertThat(chart.object("Service", "-pull").at("/spec/sessionAffinity").textValue()).isEqualTo("None");
        JsonNode worker = chart.pod("worker").at("/spec/containers/0");
        assertThat(worker.get("env").findValuesAsText("name")).containsSubsequence(
                "POD_IP", "SPILLWAY_HANDLER_PULL_ADVERTISED_URL");
        assertThat(worker.get("env").findValuesAsText("value")).contains(
                "http://$(POD_IP):8081", "/etc/spillway/pull/worker-key", "/etc/spillway/pull/receipt-key");
        assertThat(worker.get("volumeMounts").findValuesAsText("mountPath")).contains("/etc/spillway/pull");
        assertThat(chart.pod("worker").at("/spec/volumes").findValuesAsText("secretName")).contains("pull");
        assertThat(chart.pod("gateway").at("/spec/volumes").findValuesAsText("secretName")).doesNotContain("pull");
    }

    @Test
    void workers_follow_the_waiting_items_and_the_slots_that_arrivals_need() {
        JsonNode triggers = HelmChart.render(directory, ALL).object("ScaledObject", "-worker").at("/spec/triggers");
        assertThat(triggers).hasSize(2);
        assertThat(triggers.at("/1/metadata/query").textValue())
                .contains("spillway_routed_total", "spillway_slots_busy_seconds_total", "namespace=\"work\"");
        assertThat(triggers.at("/1/metadata/threshold").textValue()).isEqualTo("35");
        JsonNode external = HelmChart.render(directory, LEAST
                        + "worker: {autoscaling: {type: external, externalSlotsMetric: spillway_slots_needed}}")
                .object("HorizontalPodAutoscaler", "-worker").at("/spec/metrics");
        assertThat(external).extracting(each -> each.at("/external/metric/name").textValue())
                .containsExactly("spillway_waiting_items", "spillway_slots_needed");
    }

    private static List<String> ports(HelmChart chart, String role) {
        return chart.object("NetworkPolicy", "-" + role).get("spec").findValuesAsText("port");
    }
}
