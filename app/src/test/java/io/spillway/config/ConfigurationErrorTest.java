package io.spillway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.spillway.core.settings.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every configuration error is one line of printable ASCII with the key, the value and the allowed values. */
class ConfigurationErrorTest {
    private static final String SECRET = "hunter2";

    @TempDir
    private Path folder;

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        topics.partitions          | 0         | must be 1 to 10000
        topics.partitions          | 10001     | must be 1 to 10000
        topics.partitions          | -1        | must be 1 to 10000
        topics.partitions          | twelve    | must be a whole number
        topics.partitions          | 3.0       | must be a whole number
        topics.partitions          | 99999999999 | must be a whole number
        topics.partitions          | true      | must be a whole number
        topics.partitions          | 010       | must be a whole number (without leading zeros)
        topics.partitions          | 0x1F      | must be a whole number
        topics.partitions          | 1e3       | must be a whole number
        topics.partitions          | +3        | must be a whole number
        worker.reserve             | 00.1      | must be a number (without leading zeros)
        worker.reserve             | 0x1p-3    | must be a number
        worker.reserve             | 1d        | must be a number
        topics.partitions          | ""        | must be a whole number
        topics.replication         | 0         | must be 1 to 9
        topics.replication         | 10        | must be 1 to 9
        topics.maxBytes            | 1023      | must be 1024 to 104857600
        topics.maxBytes            | 104857601 | must be 1024 to 104857600
        topics.maxBytes            | 1MB       | must be a whole number
        kafka.prefix               | ""        | must be 1 to 200 of A-Z a-z 0-9 . _ -
        kafka.prefix               | a b       | must be 1 to 200 of A-Z a-z 0-9 . _ -
        kafka.prefix               | *         | must be 1 to 200 of A-Z a-z 0-9 . _ -
        kafka.embeddedPort         | -1        | must be 0 to 65535
        kafka.embeddedPort         | 65536     | must be 0 to 65535
        router.commitInterval      | 0ms       | must be 1ms to 1m
        router.commitInterval      | 60001ms   | must be 1ms to 1m
        router.commitInterval      | 50        | must be a duration such as 250ms, 30s, 5m, 1h or 7d (units: ms, s, m, h, d)
        router.commitInterval      | 213503982335d | must be a duration such as 250ms, 30s, 5m, 1h or 7d (units: ms, s, m, h, d)
        router.threads             | 0         | must be 1 to 256
        router.threads             | 257       | must be 1 to 256
        router.protection.multiple | 1.4       | must be 0, or 1.5 to 1000.0
        router.protection.multiple | NaN       | must be a number
        router.protection.multiple | -1.5      | must be 0, or 1.5 to 1000.0
        router.isolation.pool      | shared    | must be 1 to 63 of a-z 0-9 -, not - at an end, and not shared
        router.isolation.mode      | on        | must be one of [off, observe, enforce]
        router.protection.target   | 9ms       | must be 10ms to 1m
        router.protection.target   | 60001ms   | must be 10ms to 1m
        router.maxTenants          | 0         | must be 1 to 10000000
        router.maxTenants          | 10000001  | must be 1 to 10000000
        router.maxHeaderBytes      | 1023      | must be 1024 to 104857600
        router.maxHeaderBytes      | 104857601 | must be 1024 to 104857600
        metrics.port               | -1        | must be 0 to 65535
        metrics.port               | 65536     | must be 0 to 65535
        metrics.tenants            | 0         | must be 1 to 10000
        metrics.tenants            | 10001     | must be 1 to 10000
        shards.slots               | -1        | must be 0 to 1048576
        shards.slots               | 4         | slots = 4: must be from 24 (the number of partitions: each needs a slot) to 1048576
        shards.overlap             | 4         | must be 0 to 3 with shards.largest = 4
        shards.largest             | 257       | must be 1 to 256
        shards.overlap             | few       | must be a whole number
        shards.seed                | x         | must be a whole number of 64 bits
        shards.seed                | 0123      | must be a whole number of 64 bits (without leading zeros)
        shards.table               | 07        | must be whole numbers with commas between them (without leading zeros)
        shards.table               | 1;2       | must be whole numbers with commas between them
        shards.workloadShare       | 1.5       | must be 0.01 to 1.0
        shards.stuckAfter          | 999       | must be a duration such as 250ms, 30s, 5m, 1h or 7d (units: ms, s, m, h, d)
        gateway.port               | 65536     | must be 0 to 65535
        gateway.limits.connections | 0         | must be 1 to 1000000
        gateway.limits.bodyTimeout | 99ms      | must be 100ms to 300000ms
        gateway.limits.batchBytes  | 1000      | must be 1048576 to 67108864
        defaults.rate              | 0         | must be 0.001 to 10000000, or none
        defaults.rate              | 0100      | must be 0.001 to 10000000, or none (without leading zeros)
        defaults.attempts          | none      | must be 1 to 1000
        defaults.jitter            | some      | must be full, equal, decorrelated, none
        defaults.agedAfter         | 5         | must be 1ms to 365d, or none
        """)
    void a_value_that_is_not_allowed_is_reported_for_every_source(String key, String value, String allowed) {
        String line = key + " = " + value + ": " + allowed;
        String variable = "SPILLWAY_" + key.replace('.', '_');
        assertThat(errorOf("'" + key + "': '" + value + "'")).isEqualTo(line);
        assertThat(errorOf(Map.of(variable, value), Map.of())).isEqualTo(line);
        assertThat(errorOf(Map.of(), Map.of(key, value))).isEqualTo(line);
    }

    @ParameterizedTest
    @CsvSource({
        "topics.partitions, 10000",
        "topics.replication, 9",
        "topics.maxBytes, 1024",
        "topics.maxBytes, 104857600",
        "kafka.prefix, a.B_9-",
        "router.commitInterval, 1ms",
        "router.commitInterval, 60s",
        "router.threads, 256",
        "router.maxTenants, 10000000",
        "router.maxHeaderBytes, 1024",
        "router.protection.multiple, 0",
        "router.protection.target, 60s",
        "metrics.port, 0",
        "metrics.port, 65535",
        "metrics.tenants, 10000"
    })
    void a_value_at_the_limit_of_its_range_is_allowed(String key, String value) {
        assertThat(ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of(key, value))).isNotNull();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        nonsense: 1                        | nonsense = 1: unknown key; known sections: kafka, topics, defaults, router, worker, killer, handler, gateway, metrics, shards, retry
        kafak: {prefix: x}                 | kafak = {...}: unknown key; known sections: kafka, topics, defaults, router, worker, killer, handler, gateway, metrics, shards, retry
        kafak: {}                          | kafak = {...}: unknown key; known sections: kafka, topics, defaults, router, worker, killer, handler, gateway, metrics, shards, retry
        nonsense:                          | nonsense = null: unknown key; known sections: kafka, topics, defaults, router, worker, killer, handler, gateway, metrics, shards, retry
        topics: {partition: 3}             | topics.partition = 3: unknown key; known here: topics.partitions, topics.replication, topics.maxBytes, topics.trail, topics.retention
        topics: {partition: }              | topics.partition = null: unknown key; known here: topics.partitions, topics.replication, topics.maxBytes, topics.trail, topics.retention
        Topics: {partitions: 3}            | Topics = {...}: unknown key; known sections: kafka, topics, defaults, router, worker, killer, handler, gateway, metrics, shards, retry
        topics: {Partitions: 3}            | topics.Partitions = 3: unknown key; known here: topics.partitions, topics.replication, topics.maxBytes, topics.trail, topics.retention
        topics: {partitions: {min: 3}}     | topics.partitions = {...}: must be one value
        kafka: {prefix: {a: b}}            | kafka.prefix = {...}: must be one value
        topics: {partitions: [3]}          | topics.partitions = [...]: must be one value
        kafka: {bootstrapServers: [a, b]}  | kafka.bootstrapServers = [...]: must be one value
        kafka: {properties: {a: [b]}}      | kafka.properties.a = [...]: must be one value
        kafka: {properties: []}            | kafka.properties = [...]: must be a map of settings; any key
        kafka: {properties: {a: }}         | kafka.properties.a = null: must have a value; in quotes if it is this word
        kafka: {properties: {a: null}}     | kafka.properties.a = null: must have a value; in quotes if it is this word
        "kafka: {prefix: &a x, properties: {b: *a}}" | must have the value itself instead of an alias (line 1)
        topics: [3]                        | topics = [...]: must be a map of settings; known here: topics.partitions, topics.replication, topics.maxBytes, topics.trail, topics.retention
        topics: 3                          | topics = 3: must be a map of settings; known here: topics.partitions, topics.replication, topics.maxBytes, topics.trail, topics.retention
        kafka: {properties: none}          | kafka.properties = none: must be a map of settings; any key
        "'': 3"                            | " = 3: unknown key; known sections: kafka, topics, defaults, router, worker, killer, handler, gateway, metrics, shards, retry"
        """)
    void a_value_in_the_wrong_structure_is_reported(String yaml, String error) {
        assertThat(errorOf(yaml)).isEqualTo(file() + ": " + error);
    }

    @Test
    void a_bound_on_overlap_needs_slots_for_the_largest_shard_and_no_larger_default() {
        assertThat(errorOf(Map.of(), Map.of("shards.overlap", "2", "topics.partitions", "19"))).isEqualTo(
                "shards.slots = 19 (as many as partitions): must be at least 20 with shards.overlap and"
                        + " shards.largest = 4");
        assertThat(errorOf(Map.of(), Map.of("shards.overlap", "2", "defaults.shardSize", "5"))).isEqualTo(
                "shards.largest = 4: must be at least defaults.shardSize = 5 with shards.overlap");
    }

    @ParameterizedTest
    @ValueSource(strings = {"just words", "- a\n- b", "5", "true"})
    void a_document_that_is_not_a_map_is_rejected_without_quoting_it(String yaml) {
        assertThat(errorOf(yaml))
                .isEqualTo(file()
                        + ": must be a map of settings; known sections: kafka, topics, defaults, router,"
                        + " worker, killer, handler, gateway, metrics, shards, retry");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        "topics: {partitions: 3"                            | line 1
        "topics:\\n  partitions: 3\\n replication: 1"       | line 3
        "topics:\\n\\tpartitions: 3"                        | line 2
        "topics:\\n  partitions: 3\\n  partitions: 4"       | line 3
        "kafka: {}\\ntopics: {}\\nkafka: {}"                | line 3
        "a: b: c"                                           | line 1
        "kafka: {prefix: 'x}"                               | line 1
        "kafka: {}\\n---\\ntopics: {}"                      | another document begins at line 3
        "topics: @3"                                        | line 1
        """)
    void an_invalid_document_is_reported_with_its_line(String yaml, String line) {
        assertThat(errorOf(yaml.replace("\\n", "\n").replace("\\t", "\t")))
                .startsWith(file() + ": must be one YAML document: ")
                .contains(line);
    }

    @Test
    void a_key_in_two_notations_is_rejected() {
        assertThat(errorOf("topics.partitions: 3\ntopics: {partitions: 4}"))
                .isEqualTo(file() + ": topics.partitions = 4: must be set once");
    }

    @Test
    void excessive_nesting_is_rejected() {
        assertThat(errorOf("kafka: {properties: " + "{a: ".repeat(50_000))).startsWith(file() + ": ");
        assertThat(errorOf("[".repeat(50_000))).startsWith(file() + ": ");
    }

    @Test
    void text_from_the_file_cannot_forge_a_line() {
        assertThat(errorOf("\"x\\nspillway ready\": \"a\\e[2K\\u202eb\""))
                .isEqualTo(
                        file() + ": x\\u000aspillway ready = a\\u001b[2K\\u202eb: unknown key; known sections: kafka,"
                                + " topics, defaults, router, worker, killer, handler, gateway, metrics, shards, retry");
    }

    @Test
    void an_unknown_key_on_the_command_line_is_reported() {
        assertThat(errorOf(Map.of(), Map.of("topics.partition", "3")))
                .isEqualTo("topics.partition = 3: unknown key; known here: topics.partitions, topics.replication,"
                        + " topics.maxBytes, topics.trail, topics.retention");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "password", "ssl.key.password", "sasl.PASSWORD", "passwd", "client.secret", "sasl.jaas.config", "JaasConfig",
        "accessToken", "TOKEN", "credentials", "aws.credential", "ssl.keystore.key", "private_key", "apiKey",
        "basic.auth.user.info", "keyPassphrase"
    })
    void the_value_of_a_key_that_looks_secret_is_never_shown(String key) {
        assertHidden(errorOf("'" + key + "': " + SECRET));
        assertHidden(errorOf("kafka: {'" + key + "': " + SECRET + "}"));
        assertHidden(errorOf("'" + key + "': {value: " + SECRET + "}"));
        assertHidden(errorOf("kafka: {properties: {'" + key + "': [" + SECRET + "]}}"));
        assertHidden(errorOf(
                "kafka: {properties: {'" + key + "': " + SECRET + "}}\nkafka.properties." + key + ": " + SECRET));
        assertHidden(errorOf(Map.of("SPILLWAY_" + key.replace('.', '_'), SECRET), Map.of()));
        assertHidden(errorOf(Map.of("SPILLWAY_" + key.replace('.', '_').toUpperCase(), SECRET), Map.of()));
        assertHidden(errorOf(Map.of(), Map.of(key, SECRET)));
        assertHidden(new InvalidSettingException(key, SECRET, "must be another").getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "password: %s: x", "password: \"%s", "password: '%s\nkafka: {}", "a: {password: %s", "password: %s\n bad: x\nc",
        "password: *%s", "password: &%s x\nb: &%s y: z", "password: !%s!x y", "password: @%s", "password: `%s",
        "password: %s\npassword: %s", "password=%s", "password: %%s", "- password: %s", "? %s\n: [", "%s: {\n",
        "password: |\n %s\n\tb: c:", "password: >%s", "password: \"\\q%s\"", "%TAG %s", "password: %s\n--- x"
    })
    void text_that_cannot_be_parsed_is_never_quoted(String yaml) {
        assertThat(errorOf(yaml.replace("%s", SECRET).replace("%%", "%"))).doesNotContain(SECRET);
    }

    @Test
    void the_tokens_of_retry_budgets_are_shown() {
        assertThat(errorOf("retry: {destinationTokens: 0}")).contains("retry.destinationTokens = 0: must be");
        assertThat(errorOf("defaults: {retryTokens: x}")).contains("defaults.retryTokens = x: must be");
    }

    @Test
    void a_directory_with_a_secret_name_hides_nothing() throws IOException {
        Path file = Files.createDirectory(folder.resolve("secrets")).resolve("spillway.yml");
        Files.writeString(file, "topics: {partition: 3}");
        assertThatExceptionOfType(InvalidSettingException.class)
                .isThrownBy(() -> ConfigurationLoader.load(Optional.of(file), Map.of(), Map.of()))
                .withMessageContaining("topics.partition = 3: unknown key");
    }

    private static void assertHidden(String error) {
        assertThat(error).doesNotContain(SECRET).contains(" = ***: ");
    }

    private String file() {
        return folder.resolve("spillway.yml").toString();
    }

    private String errorOf(String yaml) {
        try {
            Path file = Files.writeString(folder.resolve("spillway.yml"), yaml);
            return errorOf(Optional.of(file), Map.of(), Map.of());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String errorOf(Map<String, String> environment, Map<String, String> overrides) {
        return errorOf(Optional.empty(), environment, overrides);
    }

    private static String errorOf(Optional<Path> file, Map<String, String> environment, Map<String, String> overrides) {
        InvalidSettingException error = catchThrowableOfType(
                InvalidSettingException.class, () -> ConfigurationLoader.load(file, environment, overrides));
        assertThat(error).isNotNull();
        assertThat(error.getMessage()).matches("[ -~]+").hasSizeLessThan(1_000);
        return error.getMessage();
    }
}
