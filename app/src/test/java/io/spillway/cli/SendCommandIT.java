package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.SweepMark;
import io.spillway.schema.WorkItem;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code send} and {@code sweep record}, by what they leave in their topics. */
@Timeout(900) // Against a hang; nothing is measured.
class SendCommandIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private final RecordCodec<WorkItem> items = new RecordCodec<>(new WorkItem());
    private CommandsUnderTest commands;

    @BeforeEach
    void configure() {
        commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
    }

    @Test
    void by_count_every_item_is_as_the_options_say() {
        long beforeMillis = System.currentTimeMillis();
        CommandRun run = commands.run(
                        "send", "--tenant", "acme", "--count", "3", "--workload", "mail", "--size", "7", "--age", "10m")
                .done();
        long afterMillis = System.currentTimeMillis();

        assertThat(run.outLines())
                .singleElement()
                .asString()
                .startsWith("Sent 3 items to " + commands.topics().ingress());
        assertThat(ingress()).hasSize(3).allSatisfy(item -> {
            assertThat(item.get("tenant")).hasToString("acme");
            assertThat(item.get("workload")).hasToString("mail");
            assertThat(item.get("payload")).extracting(payload -> ((ByteBuffer) payload).remaining()).isEqualTo(7);
            assertThat((Long) item.get("enqueuedAt")).isBetween(beforeMillis - 600_000, afterMillis - 600_000);
        });
        assertThat(ingress()).extracting(item -> item.get("id").toString()).doesNotHaveDuplicates();
        assertThat(kafka.readAll(commands.topics().ingress()))
                .allSatisfy(record -> assertThat(record.key()).as("the key is the tenant").isEqualTo(bytes("acme")));
    }

    @Test
    void an_order_key_and_deduplication_are_headers_and_the_key_of_the_record_has_the_first() throws Exception {
        Path file = directory.resolve("items.jsonl");
        Files.writeString(file, "{\"tenant\":\"bolt\",\"id\":\"x\",\"orderKey\":\"k 1\","
                + "\"dedupe\":true,\"payload\":1}");
        commands.run("send", "--tenant", "acme", "--id", "one", "--dedupe").done();
        commands.run("send", "--tenant", "acme", "--count", "2", "--id", "two", "--order-key", "k").done();
        commands.run("send", "--file", file.toString()).done();

        assertThat(kafka.readAll(commands.topics().ingress())).extracting(record -> new String(record.key(),
                StandardCharsets.UTF_8) + " " + items.decode(record.value()).get("id") + Stream.of(
                        record.headers().toArray()).map(header -> " " + header.key() + "="
                                + new String(header.value(), StandardCharsets.UTF_8)).collect(Collectors.joining()))
                .containsExactlyInAnyOrder("acme one spillway-dedupe=true",
                        "acme/k two-0 spillway-order-key=k", "acme/k two-1 spillway-order-key=k",
                        "bolt/k 1 x spillway-order-key=k 1 spillway-dedupe=true");
    }

    @Test
    void progress_goes_to_standard_error_and_json_is_alone_on_standard_output() {
        CommandRun text = commands.run("send", "--count", "30", "--rate", "25").done();
        assertThat(text.errLines()).isNotEmpty().allMatch(line -> line.matches("\\d+ of 30 sent \\(\\d+/s\\)"));
        assertThat(text.outLines()).hasSize(1);

        CommandRun json = commands.run("send", "--count", "2", "--output", "json").done();
        assertThat(json.json().get("sent").longValue()).isEqualTo(2);
        assertThat(json.json().get("failed").longValue()).isZero();
        assertThat(json.json().get("bad").longValue()).isZero();
        assertThat(json.err()).isEmpty();
    }

    @Test
    void the_good_lines_of_a_file_are_sent_and_the_bad_ones_named_by_number() throws Exception {
        Path file = directory.resolve("items.jsonl");
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        lines.writeBytes(bytes("{\"tenant\":\"acme\",\"id\":\"one\",\"payload\":\"x\"}\n"));
        lines.writeBytes(bytes("not json\u001b[31m\n"));
        lines.writeBytes(bytes("\n"));
        lines.writeBytes(bytes("{\"tenant\":\"a b\",\"payload\":\"x\"}\r\n"));
        lines.writeBytes(new byte[] {'{', (byte) 0xFC, '}', '\n'});
        lines.writeBytes(bytes("{\"id\":\"two\",\"payload\":{\"n\":1}}"));
        Files.write(file, lines.toByteArray());

        for (String output : List.of("text", "json")) {
            CommandRun run = commands.run("send", "--file", file.toString(), "--tenant", "other", "--output", output);

            assertThat(run.exitCode()).isEqualTo(1);
            boolean isJson = output.equals("json");
            assertThat(run.errLines())
                    .satisfiesExactly(
                            line -> assertThat(line).isEqualTo(isJson
                                    ? "{\"detail\":\"not JSON (column 1)\",\"line\":2}"
                                    : "line 2: not JSON (column 1)"),
                            line -> assertThat(line).contains("tenant must be"),
                            line -> assertThat(line).contains("not UTF-8"),
                            line -> assertThat(line)
                                    .startsWith(isJson ? "{\"detail\":\"3 items" : "spillway: 3 items")
                                    .contains("listed above"));
            assertThat(run.err()).doesNotContain("\u001b", "token");
            assertThat(run.outLines()).hasSize(1);
            assertThat(run.out()).contains(output.equals("json") ? "\"bad\":3" : "Sent 2 items");
        }
        assertThat(ingress()).extracting(item -> item.get("tenant") + "/" + item.get("id"))
                .containsExactlyInAnyOrder("acme/one", "acme/one", "other/two", "other/two");
    }

    @Test
    void standard_input_is_read_when_the_file_is_a_dash() {
        InputStream real = System.in;
        System.setIn(new ByteArrayInputStream(
                bytes("{\"id\":\"one\",\"payload\":\"x\"}\n{\"id\":\"two\",\"payload\":\"y\"}\n")));
        try {
            assertThat(commands.run("send", "--file", "-", "--output", "json")
                            .done()
                            .json()
                            .get("sent")
                            .longValue())
                    .isEqualTo(2);
        } finally {
            System.setIn(real);
        }
        assertThat(ingress()).extracting(item -> item.get("id").toString()).containsExactlyInAnyOrder("one", "two");
    }

    @Test
    void an_item_that_kafka_refuses_is_counted_and_said_why() throws Exception {
        Path file = Files.writeString(directory.resolve("large.jsonl"),
                "{\"payload\":\"" + "x".repeat(1_200_000) + "\"}\n{\"payload\":\"small\"}\n");

        CommandRun run = commands.run("send", "--file", file.toString());

        assertThat(run.failedWith(1)).contains("1 item could not be sent", "RecordTooLarge");
        assertThat(run.out()).startsWith("Sent 1 item ");
        assertThat(ingress()).hasSize(1);
    }

    @Test
    void a_sweep_is_recorded_and_a_tenant_that_is_not_sweepable_is_told_of() {
        CommandRun notSweepable = commands.run(
                        "sweep", "record", "--tenant", "acme", "--started-at", "2026-01-01T01:00:00+01:00",
                        "--completed-at", "1767225660000", "--id", "nightly")
                .done();
        assertThat(notSweepable.out()).contains("Recorded sweep nightly of acme", "before 2026-01-01T00:00:00Z");
        assertThat(notSweepable.errLines()).singleElement().asString()
                .contains("acme is not sweepable", "spillway tenants set acme --sweepable true");

        commands.run("tenants", "set", "acme", "--sweepable", "true").done();
        CommandRun sweepable = commands.run("sweep", "record", "--tenant", "acme", "--started-at", "1767225600000")
                .done();
        assertThat(sweepable.err()).isEmpty();

        CommandRun workload = commands.run("sweep", "record", "--tenant", "acme", "--workload", "mail",
                "--started-at", "1970-01-01T00:00:50Z", "--completed-at", "1970-01-01T00:01:00Z").done();
        assertThat(workload.out()).contains("of acme, workload mail. It covers", "less the sweepMargin of 1m.");
        assertThat(workload.err()).isEmpty();

        CommandRun all = commands.run("sweep", "record", "--tenant", "*", "--started-at", "0", "--output", "json")
                .done();
        assertThat(all.json().get("tenant").textValue()).isEqualTo("*");
        assertThat(all.json().get("startedAt").textValue()).isEqualTo("1970-01-01T00:00:00Z");
        assertThat(commands.run("sweep", "record", "--tenant", "b", "--started-at", "0", "--output", "json")
                .done().json().get("sweepable").booleanValue()).isFalse();

        RecordCodec<SweepMark> marks = new RecordCodec<>(new SweepMark());
        assertThat(kafka.readAll(commands.topics().sweeps()))
                .extracting(
                        record -> new String(record.key(), StandardCharsets.UTF_8),
                        record -> marks.decode(record.value()).get("startedAt"))
                .containsExactly(
                        tuple("acme", 1_767_225_600_000L),
                        tuple("acme", 1_767_225_600_000L),
                        tuple("acme/mail", 50_000L),
                        tuple("*", 0L),
                        tuple("b", 0L));
    }

    private List<GenericRecord> ingress() {
        return kafka.readAll(commands.topics().ingress()).stream().map(record -> items.decode(record.value())).toList();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
