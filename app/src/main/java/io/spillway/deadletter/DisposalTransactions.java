package io.spillway.deadletter;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.core.progress.ProgressCodec;
import io.spillway.core.progress.ProgressState;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.codec.LedgerWriter;
import io.spillway.kafka.topics.KafkaFailure;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Transactions of one run, one after another: successor records, ledger entries and progress. Owner of the producer.
 * Not usable after a failure: there are no retries, because the next run continues.
 */
final class DisposalTransactions implements AutoCloseable {
    /** Each takes {@code max.block.ms}, a minute by default. */
    private static final int COMMIT_ATTEMPTS = 3;

    private final Producer<byte[], byte[]> producer;
    private final ConsumerGroupMetadata group;
    private final LedgerWriter ledger;
    private final InstantSource clock;
    /** Ledger entries of the current batch, and those of tenants that could not be told before. */
    private final LedgerDeltas settled;
    private final LedgerDeltas accepted;
    private boolean isOpen;

    DisposalTransactions(
            Producer<byte[], byte[]> producer, ConsumerGroupMetadata group, LedgerWriter ledger, InstantSource clock) {
        this.ledger = ledger;
        this.clock = clock;
        this.settled = new LedgerDeltas(ItemState.DEAD_LETTER);
        this.accepted = new LedgerDeltas(ItemState.OUTSIDE);
        this.producer = producer;
        this.group = group;
    }

    /** Records a state change in the ledger, in the transaction that the next {@link #commit} ends. */
    void recordMove(DeadLetter letter, ItemState to) {
        letter.knownReason().ifPresent(reason -> settled.add(LedgerOwner.of(reason), to));
        if (to == ItemState.DROPPED || letter.owner().equals(letter.nextOwner())) {
            settled.add(letter.owner(), to);
        } else {
            settled.add(letter.owner(), ItemState.DROPPED);
            accepted.add(letter.nextOwner(), to);
        }
    }

    /** Adds a record to the transaction that the next {@link #commit} ends. */
    void send(ProducerRecord<byte[], byte[]> record, long done) {
        guarded(done, () -> {
            open();
            // Send errors are reported by the commit.
            producer.send(record);
        });
    }

    /** Commits the records, the ledger entries and the progress; {@code done} is for the error message. */
    void commit(TopicPartition partition, ProgressState progress, long done) {
        String metadata = ProgressCodec.encode(progress);
        if (!ProgressCodec.decode(progress.frontier(), metadata).equals(progress)) {
            // Truncated metadata would let finished dead letters be processed again.
            throw new IllegalStateException("progress does not fit its metadata: " + progress);
        }
        guarded(done, () -> {
            open();
            ledger.write(List.of(settled, accepted), clock.millis(), producer::send);
            producer.sendOffsetsToTransaction(
                    Map.of(partition, new OffsetAndMetadata(progress.frontier(), metadata)), group);
            commitUntilDecided(done);
            settled.clear();
            accepted.clear();
            isOpen = false;
        });
    }

    /** Repeats a commit that timed out: it may have succeeded, and only the cluster knows. */
    private void commitUntilDecided(long done) {
        for (int attempt = 1; ; attempt++) {
            try {
                producer.commitTransaction();
                return;
            } catch (TimeoutException e) {
                if (attempt == COMMIT_ATTEMPTS) {
                    throw new KafkaFailure("The result of the last transaction is unknown after " + done
                            + (done == 1 ? " dead letter" : " dead letters")
                            + ". Run the command again: it continues after what was committed", e);
                }
            }
        }
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
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
            if (KafkaFailure.isFencing(e)) {
                throw new SupersededException(done, e);
            }
            abort();
            throw new KafkaFailure("the run ended after " + done
                    + (done == 1 ? " dead letter" : " dead letters") + "; the others are unchanged", e);
        }
    }

    private void abort() {
        try {
            producer.abortTransaction();
        } catch (KafkaException | IllegalStateException abortFailed) {
            // The cluster aborts it at its timeout or when the next run starts.
        }
    }
}
