package io.spillway.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.cli.CommandRun;
import io.spillway.config.ConfigurationLoader;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import io.spillway.kafka.topics.TopicSpec;
import io.spillway.kafka.topics.Topics;
import io.spillway.producer.ItemBuilder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A long run with tenants that come and go, when asked for: {@code -Dspillway.churn.minutes=60}. Half of the items are
 * of 60 lasting tenants. The other half are of 200 tenants, each with a workload, that are others every minute. Some
 * items fail once, are scheduled, or are refused.
 */
@Tag("alone")
@EnabledIfSystemProperty(named = "spillway.churn.minutes", matches = "[1-9]\\d*")
class ChurnIT {
    private static final int PER_SECOND = 300;
    private static final int LASTING_TENANTS = 60;
    private static final int NEW_TENANTS = 200;
    private static final int PAYLOAD_BYTES = 2_048;
    /** Kafka looks for segments that have expired every five minutes, and deletes their files a minute later. */
    private static final long EXPIRES_SECONDS = 6 * 60 + 30;
    /** Largest record of an item, with its headers in a lane and its share of a batch. */
    private static final long RECORD_BYTES = PAYLOAD_BYTES + 600;
    private static final double MIB = 1 << 20;
    private static final Pattern AGE = Pattern.compile(
            "^spillway_age_of_first_attempt_seconds_bucket\\{.*le=\"([^\"]+)\".*} (\\S+)$", Pattern.MULTILINE);

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private final HttpClient client = HttpClient.newHttpClient();
    private final Map<String, Long> largest = new TreeMap<>();
    private final AtomicReference<Exception> refused = new AtomicReference<>();
    private final String padding = "x".repeat(PAYLOAD_BYTES);
    private Path configuration;

    /** Does what the first word of the payload says. */
    public static final class Behaviour implements Handler {
        @Override
        public Outcome handle(Delivery delivery) throws InterruptedException {
            Thread.sleep(5);
            String payload = new String(delivery.payload(), StandardCharsets.UTF_8);
            return switch (payload.substring(0, payload.indexOf(' '))) {
                case "dead" -> Outcome.dead("refused as requested");
                case "flaky" -> delivery.attempt() == 1 ? Outcome.retry("flaky as requested") : Outcome.done();
                default -> Outcome.done();
            };
        }
    }

    @Test
    void the_disk_of_each_queue_has_a_bound_and_each_item_has_an_end() throws Exception {
        int minutes = Integer.getInteger("spillway.churn.minutes");
        configuration = Files.writeString(directory.resolve("spillway.yml"), """
                kafka: {bootstrapServers: "%s", prefix: %s}
                topics: {replication: 1, trail: 24h}
                handler: {type: class, class: %s}
                """.formatted(kafka.bootstrapServers(), kafka.prefix(), Behaviour.class.getName()));
        command("topics", "create").done();
        Topics topics = new Topics(ConfigurationLoader.load(
                Optional.of(configuration), Map.of(), Map.of()).queue());
        try (SpillwayProcess process = SpillwayProcess.start(directory.resolve("process"), Map.of(),
                        "--config", configuration.toString(), "--roles", "gateway,router,worker");
                Producer<byte[], byte[]> producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", kafka.bootstrapServers(), "linger.ms", "5"),
                        new ByteArraySerializer(), new ByteArraySerializer())) {
            long startNanos = System.nanoTime();
            for (int minute = 1; minute <= minutes; minute++) {
                send(producer, topics.ingress(), minute, startNanos);
                sample(process, minute);
            }
            assertThat(refused.get()).isNull();
            awaitEnds(minutes * 60 * PER_SECOND);
            assertThat(process.stop()).isZero();
        }
        for (TopicSpec spec : topics.all()) {
            long bytes = largest.getOrDefault(spec.name(), 0L);
            OptionalLong bound = bound(spec, minutes);
            System.out.printf("%s: at most %.1f MiB, bound %s%n", name(spec.name()), bytes / MIB,
                    bound.isPresent() ? Math.round(bound.getAsLong() / MIB) + " MiB" : "of its keys");
            assertThat(bytes).as(spec.name()).isLessThanOrEqualTo(bound.orElse(Long.MAX_VALUE));
        }
    }

    /** Sends the items of one minute at a steady rate. */
    private void send(Producer<byte[], byte[]> producer, String ingress, int minute, long startNanos) {
        for (int i = 0; i < 60 * PER_SECOND; i++) {
            int number = (minute - 1) * 60 * PER_SECOND + i;
            long dueNanos = startNanos + number * (1_000_000_000L / PER_SECOND);
            while (System.nanoTime() < dueNanos) {
                LockSupport.parkNanos(dueNanos - System.nanoTime());
            }
            boolean isLasting = i % 2 == 0;
            String name = isLasting
                    ? "lasting-" + i / 2 % LASTING_TENANTS : "new-" + minute + "-" + i / 2 % NEW_TENANTS;
            int kind = number % 1_000;
            ItemBuilder item = ItemBuilder.of(name).id("item-" + number).payload(
                    ((kind == 1 ? "dead " : kind < 20 ? "flaky " : "ok ") + padding).getBytes(StandardCharsets.UTF_8));
            if (!isLasting) {
                item.workload("work-" + minute);
            }
            if (kind >= 980) {
                Instant now = Instant.now();
                item.deliverAt(now.plusSeconds(30), now);
            }
            producer.send(item.toRecord(ingress), (stored, failure) -> refused.compareAndSet(null, failure));
        }
    }

    /** Prints one line, and keeps the largest size of each topic. */
    private void sample(SpillwayProcess process, int minute) throws Exception {
        Map<String, Long> bytes = new TreeMap<>();
        kafka.admin().describeLogDirs(kafka.admin().describeCluster().nodes().get().stream().map(Node::id).toList())
                .allDescriptions().get().values().stream().flatMap(all -> all.values().stream())
                .flatMap(directory -> directory.replicaInfos().entrySet().stream())
                .forEach(replica -> bytes.merge(replica.getKey().topic(), replica.getValue().size(), Long::sum));
        bytes.forEach((topic, size) -> largest.merge(topic, size, Math::max));
        String scrape = client.send(HttpRequest.newBuilder(process.address("metrics")).build(),
                HttpResponse.BodyHandlers.ofString()).body();
        Path proc = Path.of("/proc", Long.toString(process.pid()));
        Map<String, String> status = Files.readAllLines(proc.resolve("status")).stream()
                .map(line -> line.split(":\\s*", 2)).collect(Collectors.toMap(line -> line[0], line -> line[1]));
        long files;
        try (Stream<Path> open = Files.list(proc.resolve("fd"))) {
            files = open.count();
        }
        System.out.printf("%d min: p50 %s s, p99 %s s; resident %s, threads %s, files %d, series %d; MiB %s%n",
                minute, age(scrape, 0.5), age(scrape, 0.99), status.get("VmRSS"), status.get("Threads"), files,
                scrape.lines().filter(line -> !line.startsWith("#")).count(),
                bytes.entrySet().stream().filter(topic -> topic.getValue() > MIB)
                        .map(topic -> name(topic.getKey()) + " " + Math.round(topic.getValue() / MIB))
                        .collect(Collectors.joining(", ")));
    }

    /** Returns the bucket of a quantile over all items so far, seconds. */
    private static String age(String scrape, double quantile) {
        Map<Double, Double> counts = new TreeMap<>();
        AGE.matcher(scrape).results().forEach(bucket -> counts.merge(
                bucket.group(1).equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(bucket.group(1)),
                Double.parseDouble(bucket.group(2)), Double::sum));
        double all = counts.getOrDefault(Double.POSITIVE_INFINITY, 0.0);
        return counts.entrySet().stream().filter(bucket -> bucket.getValue() >= quantile * all)
                .findFirst().map(bucket -> "<= " + bucket.getKey()).orElse("-");
    }

    /** Waits until all items of the ledger are done or dead letters, and requires that it balances. */
    private void awaitEnds(int sent) {
        JsonNode audit = command("audit", "--output", "json").done().json();
        while (audit.get("done").intValue() + audit.get("deadLettered").intValue() < sent) {
            LockSupport.parkNanos(1_000_000_000);
            audit = command("audit", "--output", "json").done().json();
        }
        System.out.println(command("audit").out());
        assertThat(audit.get("balanced").booleanValue()).as(audit.toString()).isTrue();
        assertThat(audit.get("accepted").intValue()).isEqualTo(sent);
    }

    /**
     * Returns the bound of what a topic takes on the disk of one broker, as docs/sizing.md states it, bytes; empty for
     * a compacted topic, whose bound is that of its keys.
     */
    private static OptionalLong bound(TopicSpec spec, int minutes) {
        if (!spec.configs().get("cleanup.policy").equals("delete")) {
            return OptionalLong.empty();
        }
        long segments = spec.partitions() * Long.parseLong(spec.configs().get("segment.bytes"));
        long kept = Long.parseLong(spec.configs().getOrDefault("retention.bytes", "-1"));
        long deadLetters = spec.name().endsWith(".dead-letter")
                ? minutes * 60L * PER_SECOND / 1_000 * RECORD_BYTES : 0;
        return OptionalLong.of(
                segments + Math.max(kept, 0) + deadLetters + EXPIRES_SECONDS * PER_SECOND * RECORD_BYTES);
    }

    private String name(String topic) {
        return topic.replace(kafka.prefix() + ".", "");
    }

    private CommandRun command(String... command) {
        return CommandRun.of(Stream.concat(Stream.of(command), Stream.of("--config", configuration.toString()))
                .toArray(String[]::new));
    }
}
