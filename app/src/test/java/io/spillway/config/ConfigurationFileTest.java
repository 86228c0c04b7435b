package io.spillway.config;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.retry.RetrySettings;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.kafka.topics.KafkaSettings;
import io.spillway.kafka.topics.ShardSettings;
import io.spillway.kafka.topics.TopicSettings;
import io.spillway.worker.WorkerSettings;
import io.spillway.worker.handlers.HandlerSettings;
import io.spillway.worker.handlers.HttpSettings;
import io.spillway.worker.handlers.PullSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigurationFileTest {
    private static final HandlerSettings HANDLER = new HandlerSettings("http", Map.ofEntries(
            entry("type", "http"), entry("http.url", "https://example.org/work"),
            entry("http.connectTimeout", "1s"), entry("http.requestTimeout", "3s"),
            entry("http.attributes", "true"), entry("http.headers.X-Source", "spillway"),
            entry("http.secretHeaders.Authorization", "token.txt"),
            entry("http.retryStatuses", "404, 409-410"), entry("http.unavailableStatuses", "500"),
            entry("http.finalStatuses", "400"), entry("http.recordHeaders", "x-id"),
            entry("http.tls.trustFile", "ca.pem"), entry("http.tls.certificateFile", "c.pem"),
            entry("http.tls.keyFile", "k.pem"), entry("kafka.topic", "out"), entry("class", "a.B"),
            entry("pull.host", "0.0.0.0"), entry("pull.port", "0"),
            entry("pull.keyFile", "worker.key"), entry("pull.receiptKeyFile", "receipt.key")));

    private static final IsolationSettings ISOLATION = new IsolationSettings(
            IsolationSettings.Mode.OBSERVE, 0.5, Duration.ofMinutes(5), Duration.ofMinutes(30), 1, "spare");

    @TempDir
    private Path folder;

    @Test
    void the_defaults_apply_without_any_source() {
        assertThat(ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of())).isEqualTo(new Configuration(
                new KafkaSettings("", "spillway", 19_092, Map.of(), Map.of()),
                new TopicSettings(24, 3, 1_114_112, Optional.empty(), Optional.empty()),
                PolicySettings.NONE_SET,
                new RouterSettings(Duration.ofMillis(100), 2, "", 1_000_000, Duration.ofDays(7), 65_536, 4,
                        Duration.ofMillis(200), ISOLATION, Map.of(), Map.of()),
                new WorkerSettings("", "shared", 50, 0.2, 0.05, 0.02, 4_000, 64 * 1024 * 1024, Duration.ofMillis(100),
                        Duration.ofMinutes(2), Duration.ofMinutes(10), Duration.ofSeconds(10), Duration.ofMinutes(5),
                        Duration.ofMinutes(5), false, 3),
                new HandlerSettings("log", Map.of()),
                new GatewaySettings("127.0.0.1", 8080, new GatewaySettings.Tls("", "", "", ""), "", "", false,
                        new GatewaySettings.Limits(4_000, 1_000, 4_000, 1_000, 128 * 1024 * 1024, 16 * 1024, 1_000,
                                100_000, 4 * 1024 * 1024, Duration.ofSeconds(15), Duration.ofSeconds(620),
                                Duration.ofSeconds(10), Duration.ofSeconds(10))),
                new MetricsSettings("127.0.0.1", 9404, 100, MetricsSettings.KafkaMetrics.SELECTED),
                new ShardSettings(0, 0, List.of(), OptionalInt.empty(), 4, 0.5, Duration.ofSeconds(10)),
                RetrySettings.DEFAULT));
    }

    @Test
    void every_setting_can_be_set_in_the_file() {
        assertThat(load("""
            # a comment
            kafka:
              bootstrapServers: a:9092,b:9092
              prefix: orders
              embeddedPort: 0
              properties:
                security.protocol: SSL
                ssl:
                  keystore:
                    location: /etc/keys
              plugins: {reporter.address: a:1}
            topics:
              partitions: 1_024
              replication: 1
              maxBytes: 2048
            defaults:
              rate: 100.5
              burst: none
              agedAfter: 10m
              sweepable: true
              jitter: equal
            router:
              commitInterval: 100ms
              threads: 4
              stateDir: "/var/lib/spillway"
              maxTenants: 5
              forgetTenantsAfter: 2d
              maxHeaderBytes: 2048
              protection: {multiple: 2.5, target: 1s}
              isolation: {mode: enforce, share: 0.3, after: 1m, calm: 2m, most: 3, pool: idle}
              sources: {a: {topic: t, tenant: key}}
              properties: {num.standby.replicas: 1}
            worker:
              id: w-1
              pool: red
              slots: 7
              reserve: 0.1
              overflowTrickle: 0.1
              agedTrickle: 0
              readAhead: {items: 100, bytes: 2097152}
              commitInterval: 20ms
              drainGrace: 1s
              leaseMax: 1m
              transactionTimeout: 30s
              kafkaTimeout: 2m
              lateAfter: 3m
              drillKills: true
            killer: {deaths: 0}
            handler:
              type: http
              http: {url: "https://example.org/work", connectTimeout: 1s, requestTimeout: 3s, attributes: true,
                headers: {X-Source: spillway}, secretHeaders: {Authorization: token.txt},
                retryStatuses: "404, 409-410", unavailableStatuses: 500, finalStatuses: 400, recordHeaders: x-id,
                tls: {trustFile: ca.pem, certificateFile: c.pem, keyFile: k.pem}}
              kafka: {topic: out}
              class: a.B
              pull: {host: 0.0.0.0, port: 0, keyFile: worker.key, receiptKeyFile: receipt.key}
            gateway:
              host: 0.0.0.0
              port: 0
              tls: {keystoreFile: a.p12, keystorePassword: secret}
              adminKeyFile: /etc/admin.key
              viewerKeyFile: /etc/viewer.key
              viewerPayloads: true
              limits: {connections: 1, addressConnections: 10, requests: 2, tenantRequests: 3, bytesInFlight: 4000000,
                headerBytes: 5000, batchLines: 6, trackedItems: 60, batchBytes: 2000000, bodyTimeout: 7s, idleTimeout: 8s, confirmTimeout: 9s, drainGrace: 0ms}
            metrics: {host: 0.0.0.0, port: 0, tenants: 7, kafka: none}
            shards: {seed: -7, slots: 2048, overlap: 2, largest: 8, workloadShare: 0.3, stuckAfter: 5s}
            retry: {destinationTokens: 7, destinationTrickle: 2s, tenantTrickle: 3s, earnedByFirst: 0.25}
            """))
                .isEqualTo(new Configuration(
                        new KafkaSettings(
                                "a:9092,b:9092",
                                "orders",
                                0,
                                Map.of("security.protocol", "SSL", "ssl.keystore.location", "/etc/keys"),
                                Map.of("reporter.address", "a:1")),
                        new TopicSettings(1_024, 1, 2_048, Optional.empty(), Optional.empty()),
                        PolicySettings.NONE_SET
                                .with(PolicyField.RATE, "100.5")
                                .with(PolicyField.BURST, "none")
                                .with(PolicyField.AGED_AFTER, "10m")
                                .with(PolicyField.SWEEPABLE, "true")
                                .with(PolicyField.JITTER, "equal"),
                        new RouterSettings(
                                Duration.ofMillis(100), 4, "/var/lib/spillway", 5, Duration.ofDays(2), 2_048, 2.5,
                                Duration.ofSeconds(1), new IsolationSettings(
                                        IsolationSettings.Mode.ENFORCE, 0.3, Duration.ofMinutes(1),
                                        Duration.ofMinutes(2), 3, "idle"),
                                Map.of("a.topic", "t", "a.tenant", "key"),
                                Map.of("num.standby.replicas", "1")),
                        new WorkerSettings(
                                "w-1", "red",
                                7,
                                0.1,
                                0.1,
                                0,
                                100,
                                2_097_152,
                                Duration.ofMillis(20),
                                Duration.ofSeconds(1),
                                Duration.ofMinutes(1),
                                Duration.ofSeconds(30),
                                Duration.ofMinutes(2),
                                Duration.ofMinutes(3),
                                true,
                                0),
                        HANDLER,
                        new GatewaySettings(
                                "0.0.0.0", 0, new GatewaySettings.Tls("", "", "a.p12", "secret"), "/etc/admin.key",
                                "/etc/viewer.key", true,
                                new GatewaySettings.Limits(
                                        1, 10, 2, 3, 4_000_000, 5_000, 6, 60, 2_000_000, Duration.ofSeconds(7),
                                        Duration.ofSeconds(8), Duration.ofSeconds(9), Duration.ZERO)),
                        new MetricsSettings("0.0.0.0", 0, 7, MetricsSettings.KafkaMetrics.NONE),
                        new ShardSettings(-7, 2_048, List.of(), OptionalInt.of(2), 8, 0.3, Duration.ofSeconds(5)),
                        new RetrySettings(7, Duration.ofSeconds(2), Duration.ofSeconds(3), 0.25)));
    }

    @Test
    void the_settings_of_a_handler_type_are_bound_with_its_defaults() {
        HandlerSettings handler = load("handler: {type: http, http: {url: 'http://h/', headers: {X-A: b}}}").handler();

        assertThat(handler.of(HttpSettings.class)).contains(new HttpSettings(
                "http://h/", Duration.ofSeconds(2), Duration.ofSeconds(10), 1, Map.of("X-A", "b"), Map.of(), false, "",
                "", "", new HttpSettings.Tls("", "", "", "", "", ""), ""));
        assertThat(handler.of(PullSettings.class)).isEmpty();
        assertThat(load("handler: {type: pull}").handler().of(PullSettings.class))
                .contains(new PullSettings("127.0.0.1", 8081, "", "", "", ""));
    }

    @Test
    void the_default_of_every_policy_field_is_a_valid_setting() {
        for (PolicyField field : PolicyField.values()) {
            String text = field.format(PolicySettings.DEFAULTS.values().get(field));
            assertThat(load("defaults: {" + field.key() + ": " + text + "}").defaults())
                    .isEqualTo(PolicySettings.NONE_SET.with(field, text));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "\n", "# only a comment\n", "---\n", "{}", "kafka:\n", "kafka: {}\n", "topics:\n#  partitions: 3\nkafka:\n",
        "kafka:\n  properties:\n", "topics:\n  partitions:\n", "null", "~"
    })
    void an_empty_file_or_section_leaves_the_defaults(String yaml) {
        assertThat(load(yaml)).isEqualTo(load(""));
    }

    @Test
    void keys_may_be_written_with_dots() {
        assertThat(load("topics.partitions: 7\nkafka.properties.client.rack: r1").topics().partitions()).isEqualTo(7);
        assertThat(load("kafka:\n  properties.client.rack: r1").kafka().properties())
                .containsEntry("client.rack", "r1");
    }

    @Test
    void a_quoted_value_is_taken_literally() {
        assertThat(load("kafka: {properties: {sasl.jaas.config: \"a = \\\"b c\\\";\", client.id: '007'}}")
                .kafka().properties())
                .containsEntry("sasl.jaas.config", "a = \"b c\";")
                .containsEntry("client.id", "007");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "2.10", "0123", "1_000", "no", "Yes", "on", "y", "TRUE", "1e3", "0x1F", "0o17", "0b11", "1:30", "+1", "-0",
        ".5", "1.", ".inf", ".NaN", "2026-11-26", "2026-11-26T04:00:00Z", "!!int '007'", "!!binary aGk="
    })
    void a_text_is_taken_as_it_is_written_also_without_quotes(String yaml) {
        String text = yaml.substring(yaml.indexOf(' ') + 1).replace("'", "");

        assertThat(load("handler: {http: {headers: {X-A: " + yaml + "}}}").handler().values())
                .isEqualTo(Map.of("http.headers.X-A", text));
        assertThat(load("kafka:\n  properties:\n    client.rack: " + yaml + "\n").kafka().properties())
                .isEqualTo(Map.of("client.rack", text));
    }

    @Test
    void a_missing_or_unreadable_file_is_reported() {
        Path missing = folder.resolve("none.yml");
        assertThatExceptionOfType(InvalidSettingException.class)
                .isThrownBy(() -> load(missing))
                .withMessage(missing + ": cannot be read: no such file");
        assertThatExceptionOfType(InvalidSettingException.class)
                .isThrownBy(() -> load(folder))
                .withMessageStartingWith(folder + ": cannot be read: ");
    }

    @Test
    void a_file_over_one_mebibyte_is_rejected_before_it_is_read() throws IOException {
        Path file = folder.resolve("huge.yml");
        Files.writeString(file, "#".repeat(1024 * 1024) + "\n");
        assertThatExceptionOfType(InvalidSettingException.class)
                .isThrownBy(() -> load(file))
                .withMessage(file + ": must be at most 1048576 bytes");
        Files.writeString(file, "#".repeat(1024 * 1024));
        assertThat(load(file)).isEqualTo(load(""));
    }

    @Test
    void bytes_that_are_not_text_are_reported_in_one_line() throws IOException {
        Path file = folder.resolve("spillway.yml");
        for (byte[] bytes : new byte[][] {
            {(byte) 0xff, (byte) 0xfe, 0, (byte) 0xd8}, {'k', ':', ' ', (byte) 0xc3, '\n'}, {0, 0, 0},
            {'a', ':', ' ', 7}
        }) {
            Files.write(file, bytes);
            assertThatExceptionOfType(InvalidSettingException.class)
                    .isThrownBy(() -> load(file))
                    .withMessageStartingWith(file + ": ")
                    .withMessageMatching("[ -~]+");
        }
    }

    private Configuration load(String yaml) {
        try {
            return load(Files.writeString(folder.resolve("spillway.yml"), yaml, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Configuration load(Path file) {
        return ConfigurationLoader.load(Optional.of(file), Map.of(), Map.of());
    }
}
