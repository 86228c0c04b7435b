package io.spillway.worker;

import io.spillway.core.progress.ProgressCodec;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.LedgerWriter;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.view.LoweredLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactions of the worker, one batch at a time: records for other lanes, ledger entries and offsets. The caller
 * keeps the content of a batch until it is committed, and repeats it after a failure. A commit that fails for good may
 * have succeeded all the same: then the committed offsets tell.
 *
 * <p>Owner of the transactional producer, which it replaces by one with the same id after a fatal error. Used by one
 * thread.
 */
final class WorkerTransactions {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerTransactions.class);
    private static final int PAUSE_MILLIS = 100;

    private final Supplier<Producer<byte[], byte[]>> producers;
    private final CommittedOffsets committed;
    private final LedgerWriter ledger;
    private final SameName sameName;
    private final Outage outage;
    private final LoweredLimits limits;
    private Producer<byte[], byte[]> producer;
    private boolean wasFenced;

    /** Reader of the offsets of the workers' group. */
    interface CommittedOffsets {
        /**
         * Returns the offsets of these partitions when no transaction that commits some of them is open any more.
         *
         * @throws KafkaFailure if the cluster does not say
         */
        Map<TopicPartition, OffsetAndMetadata> of(Set<TopicPartition> partitions);
    }

    /**
     * Creates transactions without a producer.
     *
     * @param outage limits how long a batch is retried
     * @param limits are told of failures, so that the next batch contains only what its topics take
     */
    WorkerTransactions(
            Supplier<Producer<byte[], byte[]>> producers, CommittedOffsets committed, LedgerWriter ledger,
            SameName sameName, Outage outage, LoweredLimits limits) {
        this.producers = producers;
        this.committed = committed;
        this.ledger = ledger;
        this.sameName = sameName;
        this.outage = outage;
        this.limits = limits;
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
     * @param isOwned    whether this worker has a partition, as far as it knows
     * @param isStopping whether to leave an unknown result to the successor
     * @throws WorkerException when commits fail for too long, or this process must end because of another
     */
    boolean commit(CommitBatch batch, Predicate<OwnedPartition> isOwned, BooleanSupplier isStopping)
            throws InterruptedException {
        if (batch.isEmpty()) {
            outage.ended();
            return true;
        }
        outage.begins();
        Map<TopicPartition, OffsetAndMetadata> offsets = offsets(batch);
        List<Future<RecordMetadata>> sends = new ArrayList<>();
        boolean isAsked = false;
        try {
            if (wasFenced) {
                sameName.fenced(batch.group().groupInstanceId().orElseGet(batch.group()::memberId));
                wasFenced = false;
            }
            if (producer == null) {
                open();
            }
            write(batch, offsets, sends);
            isAsked = true;
            commitUntilDecided(isStopping);
        } catch (InterruptException e) {
            throw e;
        } catch (KafkaException | KafkaFailure | IllegalStateException e) {
            if (abort(e) || !isAsked || !wasCommitted(batch, offsets, isOwned, isStopping)) {
                return false;
            }
        }
        for (Future<RecordMetadata> sent : sends) {
            requireSent(sent);
        }
        outage.ended();
        return true;
    }

    void close(Duration timeout) {
        Optional.ofNullable(producer).ifPresent(opened -> opened.close(timeout));
    }

    private static Map<TopicPartition, OffsetAndMetadata> offsets(CommitBatch batch) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        batch.parts().forEach((owned, part) -> offsets.put(
                owned.partition, new OffsetAndMetadata(part.state().frontier(), ProgressCodec.encode(part.state()))));
        return offsets;
    }

    private void write(
            CommitBatch batch, Map<TopicPartition, OffsetAndMetadata> offsets, List<Future<RecordMetadata>> sends) {
        producer.beginTransaction();
        for (CommitBatch.Part part : batch.parts().values()) {
            for (ProducerRecord<byte[], byte[]> move : part.moves()) {
                sends.add(producer.send(move));
            }
        }
        for (CommitBatch.Notice notice : batch.notices()) {
            sends.add(producer.send(notice.record()));
        }
        Consumer<ProducerRecord<byte[], byte[]>> send = entry -> sends.add(producer.send(entry));
        ledger.write(batch.parts().values().stream().map(CommitBatch.Part::deltas).toList(), batch.atMillis(), send);
        if (!offsets.isEmpty()) {
            producer.sendOffsetsToTransaction(offsets, batch.group());
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

    /**
     * Learns whether a commit that failed for good has succeeded: from the offsets, when a new producer has ended what
     * the failed one began. Nobody else commits the same progress while this worker owns the partitions. So offsets
     * that disagree belong to partitions that are lost, and it waits until it knows which.
     */
    private boolean wasCommitted(
            CommitBatch batch, Map<TopicPartition, OffsetAndMetadata> offsets, Predicate<OwnedPartition> isOwned,
            BooleanSupplier isStopping) throws InterruptedException {
        while (!isStopping.getAsBoolean()) {
            Map<TopicPartition, OffsetAndMetadata> wanted = withEndedItems(batch, offsets, isOwned);
            if (wanted.isEmpty()) {
                return false;
            }
            try {
                if (producer == null) {
                    open();
                }
                return decide(wanted, committed.of(wanted.keySet()));
            } catch (InterruptException e) {
                throw e;
            } catch (KafkaException | KafkaFailure e) {
                outage.failed("learn the result of a commit", e);
                new CountDownLatch(1).await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
            }
        }
        return false;
    }

    /** Returns the progress that no earlier commit can have had. Without any, a batch can be repeated. */
    private static Map<TopicPartition, OffsetAndMetadata> withEndedItems(
            CommitBatch batch, Map<TopicPartition, OffsetAndMetadata> offsets, Predicate<OwnedPartition> isOwned) {
        Map<TopicPartition, OffsetAndMetadata> changed = new HashMap<>();
        batch.parts().forEach((owned, part) -> {
            if (!part.deltas().isEmpty() && isOwned.test(owned)) {
                changed.put(owned.partition, offsets.get(owned.partition));
            }
        });
        return changed;
    }

    private static boolean decide(
            Map<TopicPartition, OffsetAndMetadata> wanted, Map<TopicPartition, OffsetAndMetadata> found) {
        long same = wanted.entrySet().stream()
                .filter(entry -> Optional.ofNullable(found.get(entry.getKey()))
                        .filter(offset -> offset.offset() == entry.getValue().offset()
                                && offset.metadata().equals(entry.getValue().metadata()))
                        .isPresent())
                .count();
        if (same != 0 && same != wanted.size()) {
            throw new RebalanceInProgressException("some of its " + wanted.size()
                    + " partitions have moved to another worker, and this one does not know yet which");
        }
        LOG.info("A commit failed, and its offsets show that it was {}", same == 0 ? "aborted" : "committed");
        return same != 0;
    }

    /** A commit fails when one of its sends did, so this check only guards against a defect of the client. */
    private static void requireSent(Future<RecordMetadata> sent) throws InterruptedException {
        try {
            sent.get();
        } catch (ExecutionException e) {
            throw new WorkerException("A record of a committed transaction was not sent. Please report this: "
                    + Printable.of(e.getCause().toString()));
        }
    }

    /**
     * Aborts the transaction and returns whether that succeeded; otherwise closes the producer, and the next commit
     * opens another.
     */
    private boolean abort(RuntimeException failure) {
        if (failure instanceof CommitFailedException) {
            LOG.info("Partitions moved to another worker before a commit; it is retried for the remaining partitions");
            outage.count("commit", failure);
        } else {
            outage.failed("commit", failure);
        }
        limits.explain(failure);
        wasFenced |= KafkaFailure.isFencing(failure);
        if (producer == null) {
            return true;
        }
        try {
            producer.abortTransaction();
            return true;
        } catch (KafkaException | IllegalStateException fatal) {
            LOG.info("A transaction cannot be aborted; the producer is replaced: {}", Printable.of(fatal.toString()));
            wasFenced |= KafkaFailure.isFencing(fatal);
            producer.close(Duration.ZERO);
            producer = null;
            return false;
        }
    }
}
