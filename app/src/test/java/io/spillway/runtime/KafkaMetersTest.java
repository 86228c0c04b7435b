package io.spillway.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.config.MetricsSettings.KafkaMetrics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KafkaMetersTest {
    private static final Pattern KAFKA_METRIC = Pattern.compile("\\bkafka_[a-z_]+");

    @ParameterizedTest
    @CsvSource({
        "kafka.stream.alive.stream.threads, SELECTED ALL",
        "kafka.consumer.node.request.total, ALL",
        "kafka.stream.task.process.rate, ALL",
        "spillway.routed, SELECTED ALL NONE",
        "jvm.memory.used, SELECTED ALL NONE",
        "kafkaesque.of.another, SELECTED ALL NONE"
    })
    void the_choice_concerns_the_metrics_of_kafka_only(String name, String shownBy) {
        for (KafkaMetrics choice : KafkaMetrics.values()) {
            MeterRegistry registry = new SimpleMeterRegistry();
            registry.config().meterFilter(KafkaMeters.filter(choice));
            registry.gauge(name, 1);
            assertThat(registry.getMeters()).as(choice.name()).hasSize(List.of(shownBy.split(" "))
                    .contains(choice.name()) ? 1 : 0);
        }
    }

    @Test
    void the_selection_has_what_alerts_and_the_dashboard_use() throws IOException {
        Set<String> used = new TreeSet<>();
        for (Path file : List.of(
                Path.of("../deploy/prometheus/rules.yml"), Path.of("../deploy/grafana/dashboards/spillway.json"))) {
            KAFKA_METRIC.matcher(Files.readString(file)).results().forEach(found -> used.add(found.group()));
        }
        assertThat(used).isNotEmpty();
        assertThat(shown()).containsAll(used);
    }

    @Test
    void the_documentation_lists_the_selection_and_nothing_else() throws IOException {
        String page = Files.readString(Path.of("../docs/metrics.md"));
        int start = page.indexOf("\n## Kafka\n");
        assertThat(start).isPositive();
        String section = page.substring(start, (page + "\n## ").indexOf("\n## ", start + 1));
        List<String> listed = new ArrayList<>();
        KAFKA_METRIC.matcher(section).results().forEach(found -> listed.add(found.group()));
        assertThat(listed).containsExactlyInAnyOrderElementsOf(shown());
    }

    private static Set<String> shown() {
        return KafkaMeters.SELECTED.stream()
                // Kafka Streams declares this one as a counter, and Prometheus gives it the suffix of one.
                .map(name -> name.equals("kafka.stream.failed.stream.threads") ? name + ".total" : name)
                .map(name -> name.replace('.', '_')).collect(Collectors.toSet());
    }
}
