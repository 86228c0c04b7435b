package io.spillway.router.ledger;

import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.metrics.KafkaMetric;

/**
 * Producer of one stream thread that writes the ledger deltas in the same transaction as the moves. Kafka Streams
 * flushes before it adds the offsets to a transaction, when all its tasks have written their records and none runs
 * until the commit; the deltas are sent with that flush, so that they share its requests, and those of a transaction
 * that has no other records with the offsets. A delta that cannot be sent fails the commit, as any other record does.
 *
 * <p>After an aborted transaction it begins no other one. Kafka Streams aborts when it closes a task that is corrupted,
 * and goes on with the thread's other tasks. It commits those before, except while a rebalance is under way
 * ({@code TaskManager.handleCorruption} of 4.3.1): then they would go on with offsets, state and sums that include the
 * aborted moves. Refused as fenced, it closes all tasks of the thread, which start again from their last commit with a
 * new producer.
 *
 * <p>Owner of the delegate producer. Used by its stream thread.
 */
public final class LedgerProducer implements Producer<byte[], byte[]> {
    private final Producer<byte[], byte[]> producer;
    private final LedgerRecorder recorder;
    private final InstantSource clock;
    private final StuckTransactionDetector detector;
    private final CommitRequester requester;
    private boolean isInTransaction;
    private boolean hasAborted;
    /** Failure to send the deltas with a flush. Kafka Streams expects such failures only with the offsets. */
    private Optional<KafkaException> unsent = Optional.empty();
    private long commitStartedNanos;
    /** Cache for one transaction: a lookup costs a tenth of a send, and each record needs one. Bound: the lanes. */
    private final Map<String, List<PartitionInfo>> partitions = new HashMap<>();
    /** Kafka Streams flushes once per task at a commit. Each flush wakes the producer's thread and waits for it. */
    private boolean isFlushed = true;

    public LedgerProducer(
            Producer<byte[], byte[]> producer, LedgerRecorder recorder, InstantSource clock,
            StuckTransactionDetector detector, CommitRequester requester) {
        this.producer = producer;
        this.recorder = recorder;
        this.clock = clock;
        this.detector = detector;
        this.requester = requester;
    }

    @Override
    public void sendOffsetsToTransaction(Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata group) {
        if (unsent.isPresent()) {
            throw unsent.get();
        }
        recorder.flush(clock.millis(), this::send);
        recorder.committing(offsets, clock.millis()).ifPresent(this::send);
        producer.sendOffsetsToTransaction(offsets, group);
    }

    @Override
    public void initTransactions() {
        producer.initTransactions();
    }

    @Override
    public void beginTransaction() {
        if (hasAborted) {
            throw new ProducerFencedException("a transaction was aborted: all tasks start again from their last commit");
        }
        partitions.clear();
        producer.beginTransaction();
        isInTransaction = true;
        unsent = Optional.empty();
        commitStartedNanos = requester.nowNanos();
        detector.begun(this);
    }

    @Override
    public void commitTransaction() {
        producer.commitTransaction();
        isInTransaction = false;
        requester.committed(commitStartedNanos);
        detector.ended(this);
    }

    @Override
    public void abortTransaction() {
        isInTransaction = false;
        hasAborted = true;
        try {
            producer.abortTransaction();
        } finally {
            requester.aborted();
            detector.ended(this);
        }
    }

    @Override
    public void registerMetricForSubscription(KafkaMetric metric) {
        producer.registerMetricForSubscription(metric);
    }

    @Override
    public void unregisterMetricFromSubscription(KafkaMetric metric) {
        producer.unregisterMetricFromSubscription(metric);
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record) {
        isFlushed = false;
        return producer.send(record);
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
        isFlushed = false;
        return producer.send(record, callback);
    }

    @Override
    public void flush() {
        if (!isFlushed) {
            commitStartedNanos = requester.nowNanos();
            flushLedger();
            producer.flush();
            isFlushed = true;
        }
    }

    private void flushLedger() {
        if (isInTransaction && unsent.isEmpty()) {
            try {
                recorder.flush(clock.millis(), this::send);
            } catch (KafkaException e) {
                unsent = Optional.of(e);
            }
        }
    }

    @Override
    public List<PartitionInfo> partitionsFor(String topic) {
        List<PartitionInfo> known = partitions.get(topic);
        return known == null ? partitions.computeIfAbsent(topic, producer::partitionsFor) : known;
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        return producer.metrics();
    }

    @Override
    public Uuid clientInstanceId(Duration timeout) {
        return producer.clientInstanceId(timeout);
    }

    @Override
    public void close() {
        detector.ended(this);
        producer.close();
    }

    @Override
    public void close(Duration timeout) {
        detector.ended(this);
        producer.close(timeout);
    }
}
