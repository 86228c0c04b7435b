package io.spillway.worker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Transactional producer of a {@link Cluster} in memory: each call can fail, before it has an effect, and the answer to
 * a commit can be lost.
 */
final class ModelProducer extends MockProducer<byte[], byte[]> {
    private final Cluster cluster;
    private final List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    private final Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();

    /** Receives transactions, and decides which calls fail. */
    interface Cluster {
        /** Throws the error of the next call, or returns; the names are those of the producer's methods. */
        void called(String method);

        void committed(List<ProducerRecord<byte[], byte[]>> records, Map<TopicPartition, OffsetAndMetadata> offsets);

        /** Throws the error with which a commit fails that has succeeded, or returns. Then no abort may succeed. */
        default void answered() {}
    }

    ModelProducer(Cluster cluster) {
        super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
        this.cluster = cluster;
    }

    @Override
    public void initTransactions() {
        cluster.called("initTransactions");
    }

    @Override
    public void beginTransaction() {
        cluster.called("beginTransaction");
    }

    @Override
    public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record) {
        cluster.called("send");
        records.add(record);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void sendOffsetsToTransaction(Map<TopicPartition, OffsetAndMetadata> added, ConsumerGroupMetadata group) {
        cluster.called("sendOffsetsToTransaction");
        offsets.putAll(added);
    }

    @Override
    public void commitTransaction() {
        cluster.called("commitTransaction");
        cluster.committed(List.copyOf(records), Map.copyOf(offsets));
        clearTransaction();
        cluster.answered();
    }

    @Override
    public void abortTransaction() {
        cluster.called("abortTransaction");
        clearTransaction();
    }

    private void clearTransaction() {
        records.clear();
        offsets.clear();
    }
}
