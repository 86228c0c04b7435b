package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runtime dependencies that reach an application which embeds the worker, as Maven resolved them for this build. */
class RuntimeDependenciesTest {
    /** Written by maven-dependency-plugin before the tests. */
    private static final Path LIST = Path.of("target", "runtime-dependencies.txt");
    private static final String HEADER = "The following files have been resolved:";
    private static final Pattern LINE =
            Pattern.compile("\\s*([^\\s:]+:[^\\s:]+):[^\\s:]+:\\S+:(compile|runtime)( -- .*)?");
    /** Group and artifact. Of Kafka itself, only the clients are allowed: no Streams, no broker, no Connect. */
    private static final Pattern FORBIDDEN = Pattern.compile(
            "org\\.apache\\.kafka:(?!kafka-clients$).*|.*(kafka[-_.]streams|rocksdb"
                    + "|helidon|jetty|netty|undertow|tomcat|vertx|grizzly|http-?server|picocli|logback).*"
                    + "|io\\.spillway:spillway-(simulator|embedded-kafka|app|testing)");

    @Test
    void an_application_that_embeds_the_worker_gets_no_broker_streams_server_simulator_or_command_line()
            throws Exception {
        assertThat(forbidden(Files.readAllLines(LIST))).isEmpty();
    }

    @Test
    void the_list_contains_the_kafka_clients_and_the_modules_below_the_worker() throws Exception {
        List<String> lines = Files.readAllLines(LIST);

        assertThat(lines).filteredOn(line -> line.contains(":kafka-clients:")).singleElement().asString()
                .matches("\\s+org\\.apache\\.kafka:kafka-clients:jar:[0-9.]+:compile( -- .*)?");
        assertThat(artifacts(lines)).contains("io.spillway:spillway-core", "io.spillway:spillway-client",
                "io.spillway:spillway-kafka", "io.micrometer:micrometer-core", "org.slf4j:slf4j-api");
    }

    @Test
    void of_opentelemetry_only_the_api_and_what_it_consists_of_is_there() throws Exception {
        assertThat(artifacts(Files.readAllLines(LIST))).filteredOn(name -> name.startsWith("io.opentelemetry"))
                .containsExactlyInAnyOrder("io.opentelemetry:opentelemetry-api",
                        "io.opentelemetry:opentelemetry-context", "io.opentelemetry:opentelemetry-common");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "org.apache.kafka:kafka-streams:jar:4.3.1:compile -- module kafka.streams (auto)",
        "org.rocksdb:rocksdbjni:jar:10.1.3:runtime",
        "org.apache.kafka:kafka_2.13:jar:4.3.1:compile",
        "org.apache.kafka:kafka-server:jar:4.3.1:runtime",
        "org.apache.kafka:kafka-server-common:jar:4.3.1:runtime",
        "org.apache.kafka:kafka-metadata:jar:4.3.1:runtime",
        "org.apache.kafka:kafka-raft:jar:4.3.1:runtime",
        "io.helidon.webserver:helidon-webserver:jar:4.3.0:compile -- module io.helidon.webserver",
        "org.eclipse.jetty:jetty-server:jar:12.1.0:compile",
        "io.netty:netty-transport-native-epoll:jar:linux-x86_64:4.2.0.Final:runtime",
        "io.undertow:undertow-core:jar:2.3.0.Final:compile",
        "info.picocli:picocli:jar:4.7.7:compile -- module info.picocli",
        "ch.qos.logback:logback-classic:jar:1.5.0:runtime -- module ch.qos.logback.classic",
        "io.spillway:spillway-simulator:jar:0.1.0-SNAPSHOT:compile -- module spillway.simulator (auto)",
        "io.spillway:spillway-embedded-kafka:jar:0.1.0-SNAPSHOT:compile"})
    void a_list_with_a_forbidden_artifact_is_refused(String line) throws Exception {
        List<String> lines = Stream.concat(Files.readAllLines(LIST).stream(), Stream.of("   " + line)).toList();

        assertThat(forbidden(lines)).containsExactly(line.substring(0, line.indexOf(":jar:")));
    }

    @Test
    void a_list_in_another_format_is_refused() {
        assertThatThrownBy(() -> forbidden(List.of(HEADER, "   kafka-streams-4.3.1.jar")))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("kafka-streams-4.3.1.jar");
    }

    private static List<String> forbidden(List<String> lines) {
        return artifacts(lines).stream().filter(artifact -> FORBIDDEN.matcher(artifact).matches()).toList();
    }

    private static List<String> artifacts(List<String> lines) {
        return lines.stream().filter(line -> !line.isBlank() && !line.equals(HEADER)).map(line -> {
            Matcher matcher = LINE.matcher(line);
            if (!matcher.matches()) {
                throw new IllegalArgumentException("Not an artifact in the list of dependencies: " + line);
            }
            return matcher.group(1);
        }).toList();
    }
}
