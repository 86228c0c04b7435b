package io.spillway.worker;

import io.spillway.core.item.Printable;
import io.spillway.core.progress.ProgressCodec;
import io.spillway.kafka.codec.LedgerWriter;
import io.spillway.kafka.topics.KafkaFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactions of the worker, one batch at a time: records for other lanes, ledger entries and offsets. The caller
 * keeps the content of a batch until it is committed, and repeats it after a failure.
 *
 * <p>Owner of the transactional producer, which it replaces by one with the same id after a fatal error. Used by one
 * thread.
 */
final class WorkerTransactions {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerTransactions.class);

    private final Supplier<Producer<byte[], byte[]>> producers;
    private final LedgerWriter ledger;
    private final SameName sameName;
    private final Outage outage;
    private Producer<byte[], byte[]> producer;
    private boolean wasFenced;

    /**
     * Creates transactions without a producer.
     *
     * @param outage limits how long a batch is retried
     */
    WorkerTransactions(
            Supplier<Producer<byte[], byte[]>> producers, LedgerWriter ledger, SameName sameName, Outage outage) {
        this.producers = producers;
        this.ledger = ledger;
        this.sameName = sameName;
        this.outage = outage;
    }

    /** Opens the producer, which fences a previous process with the same id. */
    void open() {
        Producer<byte[], byte[]> opened = producers.get();
        try {
            opened.initTransactions();
            producer = opened;
        } catch (KafkaException e) {
            opened.close(Duration.ZERO);
            throw e;
        }
    }

    /**
     * Commits a batch and returns whether it succeeded; otherwise nothing of it is committed. An empty one succeeds.
     *
     * @param isStopping whether to leave an unknown result to the successor
     * @throws WorkerException when commits fail for too long, or this process must end because of another
     */
    boolean commit(CommitBatch batch, BooleanSupplier isStopping) throws InterruptedException {
        if (batch.isEmpty()) {
            outage.ended();
            return true;
        }
        outage.begins();
        try {
            if (wasFenced) {
                sameName.fenced(batch.group().memberId());
                wasFenced = false;
            }
            if (producer == null) {
                open();
            }
            transact(batch, isStopping);
        } catch (InterruptException e) {
            throw e;
        } catch (KafkaException | KafkaFailure | IllegalStateException e) {
            recover(e);
            return false;
        }
        outage.ended();
        return true;
    }

    void close(Duration timeout) {
        Optional.ofNullable(producer).ifPresent(opened -> opened.close(timeout));
    }

    private void transact(CommitBatch batch, BooleanSupplier isStopping) throws InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        batch.parts().forEach((owned, part) -> offsets.put(
                owned.partition, new OffsetAndMetadata(part.state().frontier(), ProgressCodec.encode(part.state()))));
        producer.beginTransaction();
        List<Future<RecordMetadata>> sends = new ArrayList<>();
        for (CommitBatch.Part part : batch.parts().values()) {
            for (ProducerRecord<byte[], byte[]> move : part.moves()) {
                sends.add(producer.send(move));
            }
        }
        Consumer<ProducerRecord<byte[], byte[]>> send = entry -> sends.add(producer.send(entry));
        ledger.write(batch.parts().values().stream().map(CommitBatch.Part::deltas).toList(), batch.atMillis(), send);
        producer.sendOffsetsToTransaction(offsets, batch.group());
        commitUntilDecided(isStopping);
        for (Future<RecordMetadata> sent : sends) {
            requireSent(sent);
        }
    }

    /**
     * Commits until the cluster reports the result. A commit that timed out may have succeeded, and repeating its moves
     * would put items into two lanes. A worker that stops leaves the decision to its successor.
     */
    private void commitUntilDecided(BooleanSupplier isStopping) {
        while (true) {
            try {
                producer.commitTransaction();
                return;
            } catch (TimeoutException e) {
                if (isStopping.getAsBoolean()) {
                    throw e;
                }
                outage.failed("learn the result of a commit", e);
            }
        }
    }

    /** A commit fails when one of its sends did, so this check only guards against a defect of the client. */
    private static void requireSent(Future<RecordMetadata> sent) throws InterruptedException {
        try {
            sent.get();
        } catch (ExecutionException e) {
            throw new KafkaException("A record of a committed transaction was not sent", e.getCause());
        }
    }

    /** Aborts the transaction, or closes the producer after a fatal error; the next commit opens another. */
    private void recover(RuntimeException failure) {
        if (failure instanceof CommitFailedException) {
            LOG.info("Partitions moved to another worker before a commit; it is retried for the remaining partitions");
            outage.count("commit", failure);
        } else {
            outage.failed("commit", failure);
        }
        wasFenced |= KafkaFailure.isFencing(failure);
        if (producer == null) {
            return;
        }
        try {
            producer.abortTransaction();
        } catch (KafkaException | IllegalStateException fatal) {
            LOG.info("A transaction cannot be aborted; the producer is replaced: {}", Printable.of(fatal.toString()));
            wasFenced |= KafkaFailure.isFencing(fatal);
            producer.close(Duration.ZERO);
            producer = null;
        }
    }
}
