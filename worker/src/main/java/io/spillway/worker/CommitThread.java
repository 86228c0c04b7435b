package io.spillway.worker;

import io.spillway.core.engine.TransactionBudget;
import io.spillway.core.text.Printable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that commits batches: as often as {@link TransactionBudget} allows, and every {@code worker.commitInterval} at
 * least. After an abort, {@link WorkerCore} still has the outcomes, and the next batch contains them.
 *
 * <p>Owner of its {@link WorkerTransactions}.
 */
final class CommitThread implements AutoCloseable {
    /** The cluster accepts 1 MB of offsets in one commit; further partitions wait for the next one. */
    static final int MAX_METADATA_CHARACTERS = 600_000;
    static final int MAX_METADATA_CHARACTERS_PER_PARTITION = 4_096;

    private static final Logger LOG = LoggerFactory.getLogger(CommitThread.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final long PAUSE_AFTER_FAILURE_MILLIS = 100;
    private static final long FLUSH_SECONDS = 5;
    /** A twentieth of the time: nobody waits for these commits, except retries, which wait for longer anyway. */
    private static final double TIME_PER_COST = 20;
    /** A quarter of the time at most, where others wait: the next item of an order key, or a suspect. */
    private static final double AWAITED_TIME_PER_COST = 3;

    private final WorkerCore core;
    private final AttemptRunner runner;
    private final WorkerMetrics metrics;
    private final WorkerTransactions transactions;
    private final long intervalNanos;
    private final TransactionBudget budget;
    private final TransactionBudget awaited;
    private final LongSupplier nanoClock;
    private final Consumer<Throwable> onFailure;
    private final Queue<CompletableFuture<Boolean>> flushes = new ConcurrentLinkedQueue<>();
    private final Thread thread = Thread.ofPlatform().name("worker-commit").unstarted(this::run);
    private volatile boolean stopping;

    CommitThread(
            WorkerCore core, AttemptRunner runner, WorkerMetrics metrics, WorkerTransactions transactions,
            Duration interval, LongSupplier nanoClock, Consumer<Throwable> onFailure) {
        this.core = core;
        this.runner = runner;
        this.metrics = metrics;
        this.transactions = transactions;
        this.intervalNanos = interval.toNanos();
        this.budget = new TransactionBudget(TIME_PER_COST, TIME_PER_COST, intervalNanos);
        this.awaited = new TransactionBudget(AWAITED_TIME_PER_COST, AWAITED_TIME_PER_COST, intervalNanos);
        this.nanoClock = nanoClock;
        this.onFailure = onFailure;
    }

    /**
     * Opens the producer, which fences a previous process with the same id, and starts the thread.
     *
     * @throws WorkerException if Kafka does not let it begin transactions in time
     */
    void start() {
        try {
            transactions.open();
        } catch (org.apache.kafka.common.errors.TimeoutException e) {
            throw new WorkerException("Kafka does not let this worker begin transactions: its last one is not decided,"
                    + " or who leads its partition of __transaction_state does not answer. Check the brokers, and"
                    + " restart the one that leads it. Kafka says: " + Printable.of(e.getMessage()), e);
        }
        thread.start();
    }

    /** Requests a commit of all current outcomes; the future completes with whether it succeeded. */
    Future<Boolean> flush() {
        CompletableFuture<Boolean> flush = new CompletableFuture<>();
        flushes.add(flush);
        core.wakeCommit();
        return flush;
    }

    /**
     * Commits as long as there is something to commit.
     *
     * @param whenRefused runs after each commit that did not succeed
     * @throws TimeoutException if it takes longer than {@value #FLUSH_SECONDS} s
     */
    void commitWhile(BooleanSupplier hasToCommit, Runnable whenRefused)
            throws InterruptedException, ExecutionException, TimeoutException {
        long deadlineNanos = nanoClock.getAsLong() + TimeUnit.SECONDS.toNanos(FLUSH_SECONDS);
        while (hasToCommit.getAsBoolean()) {
            long leftNanos = Math.max(0, deadlineNanos - nanoClock.getAsLong());
            if (!flush().get(leftNanos, TimeUnit.NANOSECONDS)) {
                whenRefused.run();
            }
        }
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
            long waitNanos = intervalNanos;
            while (!stopping) {
                core.awaitCommit(waitNanos);
                for (long nanos = awaitedNanos(); nanos > 0; nanos = awaitedNanos()) {
                    core.awaitCommit(nanos);
                }
                List<CompletableFuture<Boolean>> requested = new ArrayList<>();
                for (var flush = flushes.poll(); flush != null; flush = flushes.poll()) {
                    requested.add(flush);
                }
                CommitBatch batch = core.batch();
                boolean succeeded = commit(batch);
                waitNanos = batch.isEmpty()
                        ? intervalNanos
                        : Math.min(intervalNanos, budget.untilDueNanos(nanoClock.getAsLong()));
                requested.forEach(flush -> flush.complete(succeeded));
                if (!succeeded) {
                    core.awaitCommit(TimeUnit.MILLISECONDS.toNanos(PAUSE_AFTER_FAILURE_MILLIS));
                }
            }
        } catch (InterruptedException | InterruptException e) {
            LOG.debug("Commit thread interrupted");
        } catch (RuntimeException | Error e) {
            core.stopCommits();
            onFailure.accept(e);
        } finally {
            flushes.forEach(flush -> flush.complete(false));
            transactions.close(CLOSE_TIMEOUT);
        }
    }

    /** Returns for how long a commit still waits that somebody waits for. */
    private long awaitedNanos() {
        return stopping || !flushes.isEmpty() ? 0
                : Math.min(intervalNanos, awaited.untilDueNanos(nanoClock.getAsLong()));
    }

    /** Commits a batch and returns whether it succeeded; an empty batch succeeds. */
    private boolean commit(CommitBatch batch) throws InterruptedException {
        long startedNanos = nanoClock.getAsLong();
        if (!transactions.commit(batch, this::isOwned, () -> stopping)) {
            metrics.transactionFailed();
            core.notCommitted(batch);
            return false;
        }
        if (!batch.isEmpty()) {
            budget.committed(startedNanos, nanoClock.getAsLong());
            awaited.committed(startedNanos, nanoClock.getAsLong());
            runner.run(core.committed(batch));
        }
        return true;
    }

    /** Returns whether this worker still has the partition, by the same assignment. */
    private boolean isOwned(OwnedPartition partition) {
        return core.owned(partition.partition).filter(partition::equals).isPresent();
    }
}
