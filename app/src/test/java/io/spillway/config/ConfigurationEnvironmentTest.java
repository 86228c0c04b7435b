package io.spillway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.kafka.topics.KafkaSettings;
import io.spillway.kafka.topics.TopicSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigurationEnvironmentTest {
    @Test
    void a_variable_is_the_key_in_upper_case_with_underscores() {
        Configuration configuration = load(Map.of(
                "SPILLWAY_KAFKA_BOOTSTRAP_SERVERS", "a:9092",
                "SPILLWAY_TOPICS_PARTITIONS", "24",
                "SPILLWAY_DEFAULTS_AGED_AFTER", "7m",
                "SPILLWAY_ROUTER_COMMIT_INTERVAL", "200ms",
                "SPILLWAY_METRICS_PORT", "9500"));
        assertThat(configuration.kafka().bootstrapServers()).isEqualTo("a:9092");
        assertThat(configuration.topics().partitions()).isEqualTo(24);
        assertThat(configuration.defaults().get(PolicyField.AGED_AFTER)).contains(420_000L);
        assertThat(configuration.router().commitInterval()).isEqualTo(Duration.ofMillis(200));
        assertThat(configuration.metrics().port()).isEqualTo(9500);
    }

    @Test
    void the_line_end_of_another_system_is_no_part_of_a_value() {
        assertThat(load(Map.of("SPILLWAY_METRICS_PORT", "9500\r")).metrics().port()).isEqualTo(9500);
        assertThat(load(Map.of("SPILLWAY_KAFKA_PROPERTIES_RETRIES", " 5\r\n")).kafka().properties())
                .isEqualTo(Map.of("retries", " 5"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"SPILLWAY_TOPICS_MAX_BYTES", "SPILLWAY_TOPICS_MAXBYTES"})
    void a_capital_inside_a_key_may_have_an_underscore_before_it(String name) {
        assertThat(load(Map.of(name, "4096")).topics().maxBytes()).isEqualTo(4_096);
    }

    @Test
    void both_spellings_of_one_setting_are_rejected() {
        assertThatExceptionOfType(InvalidSettingException.class)
                .isThrownBy(() -> load(Map.of("SPILLWAY_TOPICS_MAX_BYTES", "4096", "SPILLWAY_TOPICS_MAXBYTES", "8192")))
                .withMessage("environment variable SPILLWAY_TOPICS_MAX_BYTES = 4096: "
                        + "topics.maxBytes is also set by another variable; must be set once");
    }

    @ParameterizedTest
    @CsvSource({
        "SPILLWAY_KAFKA_PROPERTIES_SECURITY_PROTOCOL, security.protocol",
        "SPILLWAY_KAFKA_PROPERTIES_SASL_JAAS_CONFIG, sasl.jaas.config",
        "SPILLWAY_KAFKA_PROPERTIES_LINGER_MS, linger.ms",
        "SPILLWAY_KAFKA_PROPERTIES_RETRIES, retries"
    })
    void below_a_map_underscores_are_dots(String name, String property) {
        assertThat(load(Map.of(name, "Some Value")).kafka().properties()).isEqualTo(Map.of(property, "Some Value"));
    }

    @Test
    void properties_go_to_the_map_of_their_prefix() {
        Configuration configuration = load(Map.of("SPILLWAY_ROUTER_PROPERTIES_NUM_STANDBY_REPLICAS", "1"));
        assertThat(configuration.router().properties()).isEqualTo(Map.of("num.standby.replicas", "1"));
        assertThat(configuration.kafka().properties()).isEmpty();
    }

    @Test
    void every_setting_has_its_own_variable() throws Exception {
        // Each key is spelled without and with underscores before capital letters.
        for (String key : new String[] {
            "kafka.bootstrapServers", "kafka.prefix", "kafka.embeddedPort", "topics.partitions", "topics.replication",
            "topics.maxBytes",
            "router.commitInterval", "router.threads", "router.stateDir", "router.maxTenants", "metrics.host",
            "metrics.port", "metrics.tenants"
        }) {
            String value = key.endsWith("Interval") ? "70ms" : "1500";
            value = key.equals("topics.replication") ? "5" : key.equals("router.threads") ? "6" : value;
            Configuration byKey = ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of(key, value));
            String flat = "SPILLWAY_" + key.replace('.', '_').toUpperCase();
            String split = "SPILLWAY_" + key.replaceAll("([A-Z])", "_$1").replace('.', '_').toUpperCase();
            assertThat(byKey).as(key).isNotEqualTo(load(Map.of()));
            assertThat(load(Map.of(flat, value))).as(flat).isEqualTo(byKey);
            assertThat(load(Map.of(split, value))).as(split).isEqualTo(byKey);
        }
        for (PolicyField field : PolicyField.values()) {
            String value = field.allowed().startsWith("full") ? "equal"
                    : field.allowed().startsWith("shed") ? "accept"
                    : field.type() == PolicyField.Type.FLAG ? "true"
                    : field.type() == PolicyField.Type.DURATION ? "3s"
                    : field == PolicyField.URL ? "http://h/"
                    : field == PolicyField.RETRY_EARNED ? "0.3" : "3";
            String name = "SPILLWAY_DEFAULTS_" + field.flag().replace('-', '_').toUpperCase();
            assertThat(load(Map.of(name, value)).defaults().values()).isEqualTo(Map.of(field, field.parse(value)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "SPILLWAY_TOPIC_PARTITIONS", "SPILLWAY_NONSENSE", "SPILLWAY_KAFKA_PROPERTIES_", "SPILLWAY_", "SPILLWAY_TOPICS",
        "SPILLWAY_PORT", "SPILLWAY_KAFKA"
    })
    void an_unknown_variable_with_the_prefix_is_rejected(String name) {
        assertThatExceptionOfType(InvalidSettingException.class)
                .isThrownBy(() -> load(Map.of(name, "3")))
                .withMessage("environment variable " + name + " = 3: unknown setting; must be SPILLWAY_ and a "
                        + "configuration key, such as SPILLWAY_TOPICS_PARTITIONS");
    }

    @ParameterizedTest
    @CsvSource({
        "SPILLWAY_LOG_FORMAT, json",
        "PATH, /bin", "TOPICS_PARTITIONS, 3", "XSPILLWAY_NONSENSE, 3", "spillway_nonsense, 3",
        "SPILLWAY_JAVA_HOME, /jdk", "SPILLWAY_JAVA_OPTS, -Xmx1g", "SPILLWAY_HOME, /opt", "SPILLWAY_ADMIN_KEY, s3cret",
        "SPILLWAY_VIEWER_KEY, s3cret"
    })
    void variables_that_are_not_settings_are_ignored(String name, String value) {
        assertThat(load(Map.of(name, value))).isEqualTo(load(Map.of()));
    }

    /** The variables of a service spillway, and of services spillway-metrics and spillway-kafka. */
    @ParameterizedTest
    @CsvSource({
        "SPILLWAY_SERVICE_HOST, 10.0.0.1",
        "SPILLWAY_SERVICE_PORT, 8080",
        "SPILLWAY_SERVICE_PORT_HTTP, 8080",
        "SPILLWAY_PORT, tcp://10.0.0.1:8080",
        "SPILLWAY_PORT_8080_TCP, tcp://10.0.0.1:8080",
        "SPILLWAY_PORT_8080_TCP_PROTO, tcp",
        "SPILLWAY_PORT_8080_TCP_PORT, 8080",
        "SPILLWAY_PORT_8080_TCP_ADDR, 10.0.0.1",
        "SPILLWAY_METRICS_SERVICE_HOST, 10.0.0.1",
        "SPILLWAY_METRICS_PORT, tcp://10.0.0.1:9404",
        "SPILLWAY_METRICS_PORT_9404_TCP_ADDR, 10.0.0.1",
        "SPILLWAY_KAFKA_PORT, udp://10.0.0.1:9092"
    })
    void service_variables_of_kubernetes_are_ignored(String name, String value) {
        assertThat(load(Map.of(name, value))).isEqualTo(load(Map.of()));
    }

    @Test
    void the_command_line_overrides_the_environment_which_overrides_the_file(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("spillway.yml"), """
                topics: {partitions: 1, replication: 1, maxBytes: 1111}
                kafka: {properties: {client.id: file, client.rack: file}}
                """);
        Configuration configuration = ConfigurationLoader.load(
                Optional.of(file),
                Map.of(
                        "SPILLWAY_TOPICS_PARTITIONS", "2",
                        "SPILLWAY_TOPICS_REPLICATION", "2",
                        "SPILLWAY_KAFKA_PROPERTIES_CLIENT_ID", "environment"),
                Map.of("topics.partitions", "3", "kafka.bootstrapServers", "c:1"));
        assertThat(configuration.topics())
                .isEqualTo(new TopicSettings(3, 2, 1_111, Optional.empty(), Optional.empty()));
        assertThat(configuration.kafka())
                .isEqualTo(new KafkaSettings(
                        "c:1", "spillway", 19_092, Map.of("client.id", "environment", "client.rack", "file"),
                        Map.of()));
    }

    @Test
    void an_invalid_value_that_is_overridden_is_ignored() {
        assertThat(ConfigurationLoader.load(
                        Optional.empty(), Map.of("SPILLWAY_TOPICS_PARTITIONS", "many"),
                        Map.of("topics.partitions", "3"))
                .topics().partitions()).isEqualTo(3);
    }

    private static Configuration load(Map<String, String> environment) {
        return ConfigurationLoader.load(Optional.empty(), environment, Map.of());
    }
}
