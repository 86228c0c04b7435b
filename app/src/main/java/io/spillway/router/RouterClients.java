package io.spillway.router;

import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.PassedPositions;
import io.spillway.router.ledger.CommitRequester;
import io.spillway.router.ledger.LedgerProducer;
import io.spillway.router.ledger.LedgerRecorder;
import io.spillway.router.ledger.StuckTransactionDetector;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.KafkaClientSupplier;

/**
 * Supplier of the Kafka clients of Kafka Streams. Its producers also write the ledger.
 *
 * @param takesNewPartitions whether partitions that are added to its topic are read from their start. Otherwise one
 *                           without an offset has lost it, which ends the thread
 */
record RouterClients(
        LedgerRecorder recorder, InstantSource clock, StuckTransactionDetector detector, CommitRequester requester,
        boolean takesNewPartitions) implements KafkaClientSupplier {
    @Override
    public Admin getAdmin(Map<String, Object> config) {
        // Kafka's own defaults.
        return Admin.create(KafkaClients.withTimeouts(config, 60_000, 30_000));
    }

    @Override
    public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
        return new LedgerProducer(
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer()), recorder, clock,
                detector, requester);
    }

    /**
     * Returns the consumer of a stream thread, which polls at the pace of its commits. A thread that was suspended goes
     * on until it learns that it has lost its partitions.
     */
    @Override
    public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
        return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer()) {
            /** Kafka Streams asks when a task is about to run. */
            @Override
            public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions) {
                Map<TopicPartition, OffsetAndMetadata> committed = super.committed(partitions);
                recorder.began(committed);
                return committed;
            }

            @Override
            public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
                try {
                    return requester.poll(timeout, super::poll);
                } catch (OffsetOutOfRangeException e) {
                    PassedPositions.confirm(this, e);
                    return ConsumerRecords.empty();
                } catch (NoOffsetForPartitionException e) {
                    if (!takesNewPartitions) {
                        throw e;
                    }
                    seekToBeginning(e.partitions());
                    return ConsumerRecords.empty();
                }
            }
        };
    }

    @Override
    public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
        return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
        return getRestoreConsumer(config);
    }
}
