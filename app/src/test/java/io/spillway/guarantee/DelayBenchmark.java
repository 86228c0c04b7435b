package io.spillway.guarantee;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.Lane;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.router.Router;
import io.spillway.schema.WorkItem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Benchmark of the delay stage on a broker, with and without a million waiting timers. It prints results and asserts
 * nothing. Not part of the normal run: {@code mvn test -Dtest=DelayBenchmark}.
 */
class DelayBenchmark {
    private static final int MILLION = 1_000_000;
    private static final int BURST = 50_000;
    private static final int PACED = 10_000;

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path state;

    private Configuration configuration;
    private Topics topics;
    private byte[] item;
    private long sent;

    @Test
    void the_delay_stage_with_a_million_timers() {
        configuration = ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of(
                "kafka.bootstrapServers", kafka.bootstrapServers(), "kafka.prefix", kafka.prefix(),
                "topics.partitions", "4", "topics.replication", "1"));
        topics = new Topics(configuration.queue());
        item = new RecordCodec<>(new WorkItem()).encode(new WorkItem(
                "acme", "id", Instant.now(), "", null, "text/plain", Map.of(), ByteBuffer.allocate(150)));
        new TopicAdmin(kafka.admin()).createMissing(topics.all());
        Router router = start("first start");
        try (Producer<byte[], byte[]> producer = new KafkaClients(configuration.queue()).producer();
                Consumer<byte[], byte[]> hot = new KafkaClients(configuration.queue()).consumer(Map.of())) {
            hot.assign(hot.partitionsFor(topics.lane(Lane.HOT)).stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList());
            hot.seekToBeginning(hot.assignment());
            burst(producer, hot, "warm-up");
            burst(producer, hot, "no other timers");
            paced(producer, hot, "no other timers");
            long began = System.nanoTime();
            for (int i = 0; i < MILLION; i++) {
                delay(producer, System.currentTimeMillis() + 3_600_000 + i % 3_600_000);
            }
            producer.flush();
            awaitStored();
            System.out.printf("1,000,000 records became timers in %.1f s, sending included%n", seconds(began));
            burst(producer, hot, "1,000,000 waiting");
            paced(producer, hot, "1,000,000 waiting");
            router.close();
            router = start("start with 1,000,000 timers in the local store");
            router.close();
            Utils.delete(state.resolve(topics.routerGroup()).toFile());
            router = start("start with 1,000,000 timers to restore, running before they are");
            began = System.nanoTime();
            burst(producer, hot, "while 1,000,000 are restored");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            router.close();
        }
    }

    private Router start(String what) {
        long began = System.nanoTime();
        Router router = new Router(configuration, "bench", state, new TenantPolicies(configuration.defaults()),
                new Sweeps(), new ShardAssignments(), new SimpleMeterRegistry(), InstantSource.system(),
                System::nanoTime);
        router.start(Duration.ofSeconds(120));
        System.out.printf("%s: %.1f s%n", what, seconds(began));
        return router;
    }

    /** Measures the time until the last of many timers with one due time is committed to its lane. */
    private void burst(Producer<byte[], byte[]> producer, Consumer<byte[], byte[]> hot, String what) {
        long dueMillis = System.currentTimeMillis() + 5_000;
        for (int i = 0; i < BURST; i++) {
            delay(producer, dueMillis);
        }
        producer.flush();
        int arrived = 0;
        while (arrived < BURST) {
            arrived += hot.poll(Duration.ofMillis(100)).count();
        }
        double took = (System.currentTimeMillis() - dueMillis) / 1e3;
        System.out.printf(
                "%,d due at one time, %s: the last %.2f s later, %,.0f per second%n", BURST, what, took, BURST / took);
    }

    /** Measures the delay of each timer at one timer per millisecond. */
    private void paced(Producer<byte[], byte[]> producer, Consumer<byte[], byte[]> hot, String what) {
        long firstMillis = System.currentTimeMillis() + 3_000;
        for (int i = 0; i < PACED; i++) {
            delay(producer, firstMillis + i);
        }
        producer.flush();
        long[] late = new long[PACED];
        int arrived = 0;
        while (arrived < PACED) {
            for (ConsumerRecord<byte[], byte[]> record : hot.poll(Duration.ofMillis(100))) {
                byte[] due = record.headers().lastHeader("x-due").value();
                late[arrived++] = System.currentTimeMillis() - Long.parseLong(new String(due, StandardCharsets.UTF_8));
            }
        }
        Arrays.sort(late);
        System.out.printf("one due per ms, %s: late by %d ms (median), %d ms (p99), %d ms (max), %d ms (min)%n",
                what, late[PACED / 2], late[PACED * 99 / 100], late[PACED - 1], late[0]);
    }

    private void delay(Producer<byte[], byte[]> producer, long dueMillis) {
        byte[] due = Long.toString(dueMillis).getBytes(StandardCharsets.UTF_8);
        byte[] origin = (topics.ingress() + "-0-" + sent).getBytes(StandardCharsets.UTF_8);
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topics.lane(Lane.DELAY), (int) (sent++ % 4), null, item);
        record.headers()
                .add(ItemHeaders.ORIGIN, origin)
                .add(ItemHeaders.ATTEMPT, new byte[] {'1'})
                .add(ItemHeaders.DUE, due)
                .add("x-due", due);
        producer.send(record);
    }

    private void awaitStored() {
        QueueAdmin queues = new QueueAdmin(kafka.admin());
        while (queues.read(topics.lane(Lane.DELAY), topics.routerGroup()).stream()
                .anyMatch(partition -> partition.behind() > 0)) {
            Thread.onSpinWait();
        }
    }

    private static double seconds(long beganNanos) {
        return (System.nanoTime() - beganNanos) / 1e9;
    }
}
