package io.spillway.worker;

import io.spillway.core.item.Printable;
import io.spillway.core.progress.ProgressCodec;
import io.spillway.kafka.codec.LedgerWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
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
 * Committer of batches, one transaction at a time: records for other lanes, ledger entries and offsets. After an abort,
 * {@link WorkerCore} still has the outcomes and the next batch contains them.
 *
 * <p>Owner of the transactional producer, which it replaces by one with the same id after a fatal error.
 */
final class CommitThread implements AutoCloseable {
    /** The cluster accepts 1 MB of offsets in one commit; further partitions wait for the next one. */
    static final int MAX_METADATA_CHARACTERS = 600_000;
    static final int MAX_METADATA_CHARACTERS_PER_PARTITION = 4_096;

    private static final Logger LOG = LoggerFactory.getLogger(CommitThread.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final long PAUSE_AFTER_FAILURE_MILLIS = 100;

    private final WorkerCore core;
    private final AttemptRunner runner;
    private final WorkerMetrics metrics;
    private final Supplier<Producer<byte[], byte[]>> producers;
    private final long intervalMillis;
    private final Consumer<Throwable> onFailure;
    private final LedgerWriter ledger;
    private final Queue<CompletableFuture<Boolean>> flushes = new ConcurrentLinkedQueue<>();
    private final Thread thread = Thread.ofPlatform().name("worker-commit").unstarted(this::run);
    private Producer<byte[], byte[]> producer;
    private volatile boolean stopping;

    CommitThread(
            WorkerCore core, AttemptRunner runner, WorkerMetrics metrics, Supplier<Producer<byte[], byte[]>> producers,
            LedgerWriter ledger, long intervalMillis, Consumer<Throwable> onFailure) {
        this.core = core;
        this.runner = runner;
        this.metrics = metrics;
        this.producers = producers;
        this.ledger = ledger;
        this.intervalMillis = intervalMillis;
        this.onFailure = onFailure;
    }

    /** Opens the producer, which fences a previous process with the same id, and starts the thread. */
    void start() {
        producer = open();
        thread.start();
    }

    /** Requests a commit of all current outcomes; the future completes with whether it succeeded. */
    Future<Boolean> flush() {
        CompletableFuture<Boolean> flush = new CompletableFuture<>();
        flushes.add(flush);
        core.wakeCommit();
        return flush;
    }

    /** Stops after the current batch. */
    @Override
    public void close() {
        stopping = true;
        core.wakeCommit();
        try {
            thread.join(CLOSE_TIMEOUT.toMillis() * 2);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!stopping) {
                core.awaitCommit(intervalMillis);
                List<CompletableFuture<Boolean>> requested = new ArrayList<>();
                for (var flush = flushes.poll(); flush != null; flush = flushes.poll()) {
                    requested.add(flush);
                }
                boolean succeeded = commit(core.batch());
                requested.forEach(flush -> flush.complete(succeeded));
                if (!succeeded) {
                    core.awaitCommit(PAUSE_AFTER_FAILURE_MILLIS);
                }
            }
        } catch (InterruptedException | InterruptException e) {
            LOG.debug("Commit thread interrupted");
        } catch (RuntimeException | Error e) {
            core.stopCommits();
            onFailure.accept(e);
        } finally {
            flushes.forEach(flush -> flush.complete(false));
            if (producer != null) {
                producer.close(CLOSE_TIMEOUT);
            }
        }
    }

    /** Commits a batch and returns whether it succeeded; an empty batch succeeds. */
    private boolean commit(CommitBatch batch) throws InterruptedException {
        if (batch.isEmpty()) {
            return true;
        }
        try {
            if (producer == null) {
                producer = open();
            }
            transact(batch);
        } catch (InterruptException e) {
            throw e;
        } catch (KafkaException | IllegalStateException e) {
            metrics.transactionFailed();
            core.notCommitted(batch);
            recover(e);
            return false;
        }
        runner.run(core.committed(batch));
        return true;
    }

    private void transact(CommitBatch batch) throws InterruptedException {
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
        commitUntilDecided();
        for (Future<RecordMetadata> sent : sends) {
            requireSent(sent);
        }
    }

    /**
     * Commits until the cluster reports the result. A commit that timed out may have succeeded, and repeating its moves
     * would put items into two lanes. A worker that stops leaves the decision to its successor.
     */
    private void commitUntilDecided() {
        while (true) {
            try {
                producer.commitTransaction();
                return;
            } catch (TimeoutException e) {
                if (stopping) {
                    throw e;
                }
                LOG.warn("The result of a commit is unknown; the commit is retried until Kafka reports it: {}",
                        Printable.of(e.toString()));
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
        } else {
            LOG.warn("A transaction failed and is retried: {}", Printable.of(failure.toString()));
        }
        if (producer == null) {
            return;
        }
        try {
            producer.abortTransaction();
        } catch (KafkaException | IllegalStateException fatal) {
            LOG.warn("A transaction cannot be aborted; the producer is replaced: {}", Printable.of(fatal.toString()));
            producer.close(Duration.ZERO);
            producer = null;
        }
    }

    private Producer<byte[], byte[]> open() {
        Producer<byte[], byte[]> opened = producers.get();
        try {
            opened.initTransactions();
            return opened;
        } catch (KafkaException e) {
            opened.close(Duration.ZERO);
            throw e;
        }
    }
}
