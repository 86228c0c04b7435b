package io.spillway.cli;

import io.spillway.schema.WorkItem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.message.BinaryMessageDecoder;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reader of a queue that counts the copies of each item from the start, before the queue is purged. Owner of its
 * thread.
 */
final class StoredItems implements AutoCloseable {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final BinaryMessageDecoder<GenericRecord> decoder =
            new BinaryMessageDecoder<>(new GenericData(), new WorkItem().getSchema());
    private final Collection<TopicPartition> partitions;
    private final Map<String, Integer> copies = new HashMap<>();
    private final Thread reader;
    private volatile boolean stopped;

    StoredItems(String bootstrapServers, String topic) {
        this.consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrapServers, "auto.offset.reset", "none"),
                new ByteArrayDeserializer(), new ByteArrayDeserializer());
        this.partitions = consumer.partitionsFor(topic).stream()
                .map(partition -> new TopicPartition(topic, partition.partition())).toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        this.reader = Thread.ofVirtual().start(this::read);
    }

    /** Returns the number of copies of each item by its id, after nothing more is sent. */
    Map<String, Integer> awaitEnd() throws InterruptedException {
        stopped = true;
        reader.join();
        return copies;
    }

    private void read() {
        while (!stopped) {
            poll();
        }
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            poll();
        }
    }

    private void poll() {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
            try {
                copies.merge(decoder.decode(record.value()).get("id").toString(), 1, Integer::sum);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public void close() {
        stopped = true;
        try {
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        consumer.close();
    }
}
