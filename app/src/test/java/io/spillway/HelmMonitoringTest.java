package io.spillway;

import static io.spillway.HelmChart.ALL;
import static io.spillway.HelmChart.LEAST;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.marcnuri.helm.Helm;
import io.spillway.config.ConfigurationLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the Helm chart gives to operators of other projects: alerts, dashboard and autoscaling. */
class HelmMonitoringTest {
    private static final Path ROOT = Path.of("..");

    @TempDir
    private Path directory;

    @Test
    void alerts_and_dashboard_are_those_of_the_repository() throws IOException {
        HelmChart chart = HelmChart.render(directory, ALL);

        assertThat(chart.object("PrometheusRule", "queue").get("spec"))
                .isEqualTo(new YAMLMapper().readTree(ROOT.resolve("deploy/prometheus/rules.yml").toFile()));
        assertThat(new ObjectMapper().readTree(
                        chart.object("ConfigMap", "-dashboard").at("/data/spillway.json").textValue()))
                .isEqualTo(new ObjectMapper().readTree(
                        ROOT.resolve("deploy/grafana/dashboards/spillway.json").toFile()));
        assertThat(HelmChart.DIRECTORY.resolve("files/rules.yml")).as("not a copy").isSymbolicLink();
        assertThat(HelmChart.DIRECTORY.resolve("files/dashboard.json")).as("not a copy").isSymbolicLink();
    }

    @Test
    void a_packaged_chart_has_alerts_and_dashboard_instead_of_links() throws IOException {
        new Helm(HelmChart.DIRECTORY).packageIt().withDestination(directory).call();

        try (Stream<Path> files = Files.list(directory)) {
            assertHasAlertsAndDashboard(
                    files.filter(each -> each.toString().endsWith(".tgz")).findFirst().orElseThrow());
        }
    }

    @Test
    void the_chart_of_a_release_has_them_too() throws Exception {
        Matcher command = Pattern.compile("(?s)\\ntar -C deploy/helm .*?\\| gzip -n ").matcher(
                Files.readString(ROOT.resolve(".ci/release")));
        assertThat(command.find()).isTrue();
        Path chart = directory.resolve("chart.tgz");
        ProcessBuilder release = new ProcessBuilder("bash", "-ec", command.group()).directory(ROOT.toFile())
                .redirectOutput(chart.toFile()).redirectError(ProcessBuilder.Redirect.INHERIT);
        release.environment().put("SOURCE_DATE_EPOCH", "0");

        assertThat(release.start().waitFor()).isZero();

        assertHasAlertsAndDashboard(chart);
    }

    private static void assertHasAlertsAndDashboard(Path chart) throws IOException {
        Map<String, Path> linked = Map.of(
                "spillway/files/rules.yml", ROOT.resolve("deploy/prometheus/rules.yml"),
                "spillway/files/dashboard.json", ROOT.resolve("deploy/grafana/dashboards/spillway.json"));
        int found = 0;
        try (TarArchiveInputStream entries = new TarArchiveInputStream(
                new GZIPInputStream(Files.newInputStream(chart)))) {
            for (TarArchiveEntry entry = entries.getNextEntry(); entry != null; entry = entries.getNextEntry()) {
                assertThat(entry.isSymbolicLink() || entry.isLink()).as(entry.getName()).isFalse();
                if (linked.containsKey(entry.getName())) {
                    assertThat(entries.readAllBytes()).isEqualTo(Files.readAllBytes(linked.get(entry.getName())));
                    found++;
                }
            }
        }
        assertThat(found).isEqualTo(linked.size());
    }

    @Test
    void workers_scale_on_waiting_items_and_not_on_lag() {
        HelmChart chart = HelmChart.render(directory, ALL);

        JsonNode scaled = chart.object("ScaledObject", "-worker").get("spec");
        JsonNode worker = chart.object("Deployment", "-worker");
        assertThat(scaled.at("/scaleTargetRef/name").textValue()).isEqualTo(HelmChart.name(worker));
        assertThat(worker.at("/spec/replicas").isMissingNode()).as("the autoscaler decides").isTrue();
        JsonNode trigger = scaled.at("/triggers/0");
        assertThat(trigger.get("type").textValue()).isEqualTo("prometheus");
        assertThat(trigger.at("/metadata/query").textValue()).isEqualTo("sum(max by (lane) (sum by (lane, instance)"
                + " (spillway_depth{lane=~\"hot|overflow|aged\",namespace=\"work\"})))");
        assertThat(trigger.at("/metadata/threshold").textValue()).isEqualTo("2000000");
        assertThat(scaled.get("maxReplicaCount").asInt()).isLessThanOrEqualTo(
                ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of()).topics().partitions());
    }

    @Test
    void an_external_metric_serves_where_there_is_no_keda() {
        HelmChart chart = HelmChart.render(directory, LEAST + "worker: {autoscaling: {type: external}}");

        JsonNode scaler = chart.object("HorizontalPodAutoscaler", "-worker").get("spec");
        assertThat(scaler.at("/scaleTargetRef/name").textValue()).isEqualTo("queue-worker");
        assertThat(scaler.at("/metrics/0/external/metric/name").textValue()).isEqualTo("spillway_waiting_items");
        assertThat(scaler.at("/metrics/0/external/target/averageValue").textValue()).isEqualTo("200");
        assertThat(chart.kind("ScaledObject")).isEmpty();
    }

    @Test
    void objects_of_operators_that_a_cluster_may_not_have_are_rendered_on_request_only() {
        assertThat(HelmChart.render(directory, LEAST).objects()).extracting(each -> each.get("apiVersion").textValue())
                .containsOnly("v1", "apps/v1", "batch/v1", "policy/v1");
    }
}
