package io.spillway.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.CommandRun;
import io.spillway.embedded.EmbeddedKafka;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import io.spillway.runtime.Endpoint;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Default locales whose digits are not ASCII, and the one whose I has no dot. */
@Timeout(900) // Against a hang; nothing is measured.
@Tag("long")
class LocalesIT {
    private static final String OTHER_DIGITS = "[\\p{Nd}&&[^0-9]]";

    private final Locale before = Locale.getDefault();

    @TempDir
    Path directory;

    @AfterEach
    void restore() {
        Locale.setDefault(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ar-EG", "fa-IR", "th-TH-u-nu-thai", "hi-IN-u-nu-deva", "tr-TR"})
    void an_embedded_kafka_finds_its_files_again(String tag) throws Exception {
        Locale.setDefault(Locale.forLanguageTag(tag));
        for (int start = 1; start <= 2; start++) {
            try (EmbeddedKafka kafka = EmbeddedKafka.start(directory, 0)) {
                if (start == 1) {
                    createTopic(kafka.bootstrapServers());
                }
                send(kafka.bootstrapServers());
                assertThat(KafkaUnderTest.readAll(kafka.bootstrapServers(), "items")).hasSize(start);
            }
        }
        assertAsciiDigits(fileNames());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "-Duser.language=hi -Duser.extensions=u-nu-deva", "-Duser.language=tr -Duser.country=TR"
    })
    void a_process_names_and_prints_nothing_in_other_digits(String options) throws Exception {
        Path data = directory.resolve("data");
        try (SpillwayProcess running = SpillwayProcess.start(
                        data, Map.of("JAVA_TOOL_OPTIONS", options, "SPILLWAY_KAFKA_EMBEDDEDPORT", "0"));
                HttpClient client = HttpClient.newHttpClient()) {
            Endpoint endpoint = Endpoint.read(data).orElseThrow();
            CommandRun.of("send", "--count", "20", "--data", data.toString()).done();
            assertAsciiDigits(List.of(running.readyLine(), client.send(
                    HttpRequest.newBuilder(URI.create(endpoint.metrics())).build(),
                    HttpResponse.BodyHandlers.ofString()).body()));
            CommandRun.of("audit", "--data", data.toString()).done();

            assertThat(running.stop()).as(running.log()).isZero();
            assertAsciiDigits(running.log().lines().toList());
        }
        assertAsciiDigits(fileNames());
    }

    @Test
    void a_command_prints_ascii_digits() {
        Locale.setDefault(Locale.forLanguageTag("ar-EG"));

        assertAsciiDigits(List.of(CommandRun.of(
                "shards", "--slots", "8", "--per-tenant", "2", "--tenants", "2000").done().out()));
    }

    private void assertAsciiDigits(List<String> texts) {
        assertThat(texts).isNotEmpty().allSatisfy(text -> assertThat(text).doesNotContainPattern(OTHER_DIGITS));
    }

    private List<String> fileNames() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.map(Path::toString).toList();
        }
    }

    private static void createTopic(String bootstrapServers) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            admin.createTopics(List.of(new NewTopic("items", 1, (short) 1))).all().get();
        }
    }

    private static void send(String bootstrapServers) throws Exception {
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers), new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>("items", new byte[1])).get();
        }
    }
}
