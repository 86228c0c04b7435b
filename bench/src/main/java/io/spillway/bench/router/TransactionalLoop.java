package io.spillway.bench.router;

import io.spillway.bench.support.ClientSettings;
import io.spillway.bench.support.Scene;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/** Consume, produce, commit: what one would write by hand with the plain clients, without regard to faults. */
public final class TransactionalLoop implements Contender {
    private static final Duration POLL = Duration.ofMillis(10);

    private final Scene scene;
    private final String group;
    private final List<Thread> threads;
    private volatile boolean stopping;

    TransactionalLoop(Scene scene) {
        this.scene = scene;
        this.group = scene.prefix() + ".loop";
        this.threads = IntStream.range(0, Scene.THREADS)
                .mapToObj(i -> Thread.ofPlatform().name("loop-" + i).start(() -> run(group + "-" + i)))
                .toList();
    }

    @Override
    public String group() {
        return group;
    }

    @Override
    public void close() {
        stopping = true;
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run(String transactionalId) {
        Map<String, Object> settings = ClientSettings.consumer(scene);
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings);
                KafkaProducer<byte[], byte[]> producer =
                        new KafkaProducer<>(ClientSettings.loopProducer(scene, transactionalId))) {
            producer.initTransactions();
            consumer.subscribe(List.of(scene.input()));
            loop(consumer, producer);
        }
    }

    private void loop(KafkaConsumer<byte[], byte[]> consumer, KafkaProducer<byte[], byte[]> producer) {
        long intervalNanos = TimeUnit.MILLISECONDS.toNanos(scene.commitIntervalMillis());
        Map<TopicPartition, OffsetAndMetadata> unfinished = new HashMap<>();
        long lastCommitNanos = System.nanoTime();
        while (!stopping) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
            if (!records.isEmpty() && unfinished.isEmpty()) {
                producer.beginTransaction();
            }
            for (ConsumerRecord<byte[], byte[]> record : records) {
                producer.send(new ProducerRecord<>(
                        scene.output(), null, record.timestamp(), record.key(), record.value(), record.headers()));
            }
            unfinished.putAll(records.nextOffsets());
            if (!unfinished.isEmpty() && System.nanoTime() - lastCommitNanos >= intervalNanos) {
                producer.sendOffsetsToTransaction(unfinished, consumer.groupMetadata());
                producer.commitTransaction();
                unfinished.clear();
                lastCommitNanos = System.nanoTime();
            }
        }
    }
}
