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
 * Commits batches, one transaction after another: the records that items leave by, the books of it, and the offsets that say that they
 * have left. Owner of the transactional producer, which it replaces by one with the same id when it is beyond use.
 *
 * <p>After an abort nothing is lost: the outcomes are still in {@link WorkerCore} and go out with the next batch.
 */
final class CommitThread implements AutoCloseable {
    /** The cluster takes 1 MB of offsets in one commit; the rest goes with the next. Characters. */
    static final int MAX_METADATA_CHARACTERS = 600_000;
    /** What one partition can have at the most. */
    static final int MAX_METADATA_OF_ONE = 4_096;

    private static final Logger LOG = LoggerFactory.getLogger(CommitThread.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final long PAUSE_AFTER_FAULT_MILLIS = 100;

    private final WorkerCore core;
    private final AttemptRunner runner;
    private final WorkerMetrics metrics;
    private final Supplier<Producer<byte[], byte[]>> producers;
    private final long intervalMillis;
    private final Consumer<Throwable> onDeath;
    private final LedgerWriter ledger;
    private final Queue<CompletableFuture<Boolean>> flushes = new ConcurrentLinkedQueue<>();
    private final Thread thread = Thread.ofPlatform().name("worker-commit").unstarted(this::run);
    private Producer<byte[], byte[]> producer;
    private volatile boolean stopping;

    CommitThread(
            WorkerCore core, AttemptRunner runner, WorkerMetrics metrics, Supplier<Producer<byte[], byte[]>> producers,
            LedgerWriter ledger, long intervalMillis, Consumer<Throwable> onDeath) {
        this.core = core;
        this.runner = runner;
        this.metrics = metrics;
        this.producers = producers;
        this.ledger = ledger;
        this.intervalMillis = intervalMillis;
        this.onDeath = onDeath;
    }

    /** Makes the producer, which fences a dead predecessor of the same name, and starts. */
    void start() {
        producer = open();
        thread.start();
    }

    /**
     * Asks for a commit of all there is now.
     *
     * @return completes with whether it succeeded
     */
    Future<Boolean> flush() {
        CompletableFuture<Boolean> flush = new CompletableFuture<>();
        flushes.add(flush);
        core.wakeCommit();
        return flush;
    }

    /** Stops after the batch under way. */
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
                List<CompletableFuture<Boolean>> asked = new ArrayList<>();
                for (var flush = flushes.poll(); flush != null; flush = flushes.poll()) {
                    asked.add(flush);
                }
                boolean succeeded = commit(core.batch());
                asked.forEach(flush -> flush.complete(succeeded));
                if (!succeeded) {
                    core.awaitCommit(PAUSE_AFTER_FAULT_MILLIS);
                }
            }
        } catch (InterruptedException | InterruptException e) {
            LOG.debug("Commit thread interrupted");
        } catch (RuntimeException | Error e) {
            core.broken();
            onDeath.accept(e);
        } finally {
            flushes.forEach(flush -> flush.complete(false));
            if (producer != null) {
                producer.close(CLOSE_TIMEOUT);
            }
        }
    }

    /** Whether it went through; an empty batch does. */
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
        batch.parts().forEach((home, part) -> offsets.put(
                home.partition, new OffsetAndMetadata(part.state().frontier(), ProgressCodec.encode(part.state()))));
        producer.beginTransaction();
        List<Future<RecordMetadata>> answers = new ArrayList<>();
        for (CommitBatch.Part part : batch.parts().values()) {
            for (ProducerRecord<byte[], byte[]> move : part.moves()) {
                answers.add(producer.send(move));
            }
        }
        Consumer<ProducerRecord<byte[], byte[]>> book = entry -> answers.add(producer.send(entry));
        batch.parts().values().forEach(part -> ledger.write(part.sums(), batch.atMillis(), book));
        ledger.flush(batch.atMillis(), book);
        producer.sendOffsetsToTransaction(offsets, batch.group());
        commitUntilDecided();
        for (Future<RecordMetadata> answer : answers) {
            requireSent(answer);
        }
    }

    /**
     * A commit that took too long may have gone through, and to make its moves again would put items into two places. So the
     * same producer asks again until the cluster has said what became of it; a worker that stops leaves that to its successor.
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
                LOG.warn("It is not known yet whether a transaction was committed; asking again: {}", Printable.of(e.toString()));
            }
        }
    }

    /** The commit itself fails when a record did, so this holds by then; it is the proof. */
    private static void requireSent(Future<RecordMetadata> answer) throws InterruptedException {
        try {
            answer.get();
        } catch (ExecutionException e) {
            throw new KafkaException("a record of a committed transaction was not sent", e.getCause());
        }
    }

    /** Makes the producer fit for the next transaction: by aborting this one, or by replacing the producer. */
    private void recover(RuntimeException fault) {
        if (fault instanceof CommitFailedException) {
            LOG.info("Partitions went elsewhere before a commit; it is made again for those that stay");
        } else {
            LOG.warn("A transaction failed and is made again: {}", Printable.of(fault.toString()));
        }
        if (producer == null) {
            return;
        }
        try {
            producer.abortTransaction();
        } catch (KafkaException | IllegalStateException beyondUse) {
            LOG.warn("The producer is replaced: {}", Printable.of(beyondUse.toString()));
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
