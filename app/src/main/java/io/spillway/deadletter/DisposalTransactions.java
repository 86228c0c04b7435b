package io.spillway.deadletter;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.core.progress.ProgressCodec;
import io.spillway.core.progress.ProgressState;
import io.spillway.kafka.codec.LedgerWriter;
import io.spillway.kafka.topics.KafkaFailure;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;

/**
 * The transactions of one run, one after another: records, the books, and the progress that says what they stand for. Owner of the
 * producer. After a failure it is of no more use; nothing is tried again, since the next run does.
 */
final class DisposalTransactions implements AutoCloseable {
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final Producer<byte[], byte[]> producer;
    private final ConsumerGroupMetadata group;
    private final LedgerWriter ledger;
    private final InstantSource clock;
    /** Of one batch of the reader; a run that fails books no more. */
    private final LedgerDeltas settled;
    private boolean isOpen;

    DisposalTransactions(
            Producer<byte[], byte[]> producer, ConsumerGroupMetadata group, LedgerWriter ledger, InstantSource clock) {
        this.ledger = ledger;
        this.clock = clock;
        this.settled = new LedgerDeltas(ItemState.DEAD_LETTER, clock.millis());
        this.producer = producer;
        this.group = group;
    }

    /**
     * Books a dead letter in the transaction that the next {@link #commit} ends.
     *
     * @param tenant in whose books it is
     * @param to     where it goes
     */
    void book(String tenant, ItemState to) {
        settled.add(tenant, to);
    }

    /** Adds a record to the transaction that the next {@link #commit} ends. */
    void send(ProducerRecord<byte[], byte[]> record, long done) {
        guarded(done, () -> {
            open();
            // Whether it was stored the commit says.
            producer.send(record);
        });
    }

    /**
     * Commits what was sent and the progress.
     *
     * @param done what the run has done before, for the message when it fails
     */
    void commit(TopicPartition partition, ProgressState progress, long done) {
        String metadata = ProgressCodec.encode(progress);
        if (!ProgressCodec.decode(progress.frontier(), metadata).equals(progress)) {
            // Cut metadata would let what is done be done again.
            throw new IllegalStateException("progress does not fit its metadata: " + progress);
        }
        guarded(done, () -> {
            open();
            long nowMillis = clock.millis();
            ledger.write(settled, nowMillis, producer::send);
            ledger.flush(nowMillis, producer::send);
            producer.sendOffsetsToTransaction(Map.of(partition, new OffsetAndMetadata(progress.frontier(), metadata)), group);
            producer.commitTransaction();
            settled.clear();
            isOpen = false;
        });
    }

    @Override
    public void close() {
        producer.close(CLOSE_TIMEOUT);
    }

    private void open() {
        if (!isOpen) {
            producer.beginTransaction();
            isOpen = true;
        }
    }

    private void guarded(long done, Runnable step) {
        try {
            step.run();
        } catch (KafkaException e) {
            if (isFencing(e)) {
                throw new SupersededException(done, e);
            }
            abort();
            throw new KafkaFailure("the run ended after " + done + " dead letters; the rest stays as it is", e);
        }
    }

    private static boolean isFencing(Throwable fault) {
        for (Throwable at = fault; at != null; at = at.getCause()) {
            if (at instanceof ProducerFencedException || at instanceof InvalidProducerEpochException) {
                return true;
            }
        }
        return false;
    }

    private void abort() {
        try {
            producer.abortTransaction();
        } catch (KafkaException beyondUse) {
            // Then the cluster aborts it, at its timeout or when the next run begins.
        }
    }
}
