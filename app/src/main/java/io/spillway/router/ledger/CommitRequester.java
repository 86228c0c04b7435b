package io.spillway.router.ledger;

import io.spillway.core.engine.TransactionBudget;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.kafka.streams.processor.api.ProcessorContext;

/**
 * Requester of the commits of the stream threads. Moved items are visible after the commit, so each thread commits when
 * it has processed what a poll brought, as often as {@link TransactionBudget} allows, and after
 * {@code router.commitInterval} at the latest. Items that have started before the commit wait for that interval.
 *
 * <p>A stream thread polls when it has nothing left to process. If it has moved items and a commit is due, its consumer
 * polls without waiting; if a commit is due soon, it waits no longer than that. After the poll Kafka Streams makes the
 * commit that was requested. What moves no item, such as the fold of the ledger, waits for the next commit or for
 * {@link #OTHER_COMMITS_MILLIS}.
 *
 * <p>Thread-safe: each stream thread owns a budget of its own, which the processors, the consumer and the producer of
 * that thread find by it.
 */
public final class CommitRequester {
    /** How long work that moves no items can be uncommitted, unless the interval is longer. */
    static final long OTHER_COMMITS_MILLIS = 250;

    /** As much for transactions as for waiting: half of an idle thread's time. */
    private static final double IDLE_PER_COST = 1;
    private static final double BUSY_PER_COST = 10;

    private final long intervalNanos;
    private final LongSupplier nanoClock;
    private final ThreadLocal<ThreadCommits> ofThread;
    private final LongAdder commits = new LongAdder();

    /**
     * Creates a requester.
     *
     * @param commitInterval longest time that a moved item is uncommitted, more than 0
     */
    public CommitRequester(Duration commitInterval, LongSupplier nanoClock) {
        this.intervalNanos = commitInterval.toNanos();
        this.nanoClock = nanoClock;
        this.ofThread = ThreadLocal.withInitial(() ->
                new ThreadCommits(new TransactionBudget(IDLE_PER_COST, BUSY_PER_COST, intervalNanos)));
    }

    /** Returns the {@code commit.interval.ms} of Kafka Streams, for what moves no items. */
    public static long streamsMillis(Duration commitInterval) {
        return Math.max(commitInterval.toMillis(), OTHER_COMMITS_MILLIS);
    }

    /**
     * Records that the task of this context has moved an item, on the task's thread.
     *
     * @param isStarted whether a worker has started it already, so that nobody waits for the commit
     */
    public void moved(ProcessorContext<?, ?> context, boolean isStarted) {
        ThreadCommits thread = ofThread.get();
        thread.isUrgent |= !isStarted;
        if (thread.moved == null) {
            thread.movedSinceNanos = nanoClock.getAsLong();
            thread.moved = context;
        }
    }

    /**
     * Polls as a stream thread does when it has nothing left to process, and requests a commit if one is due.
     *
     * @param timeout longest time to wait for records
     * @param poll    polls with a timeout
     */
    public <R> R poll(Duration timeout, Function<Duration, R> poll) {
        ThreadCommits thread = ofThread.get();
        long startNanos = nanoClock.getAsLong();
        R records = poll.apply(Duration.ofNanos(Math.min(timeout.toNanos(), untilDueNanos(thread, startNanos))));
        long nowNanos = nanoClock.getAsLong();
        thread.budget.idle(nowNanos - startNanos);
        if (thread.moved != null && untilDueNanos(thread, nowNanos) == 0) {
            thread.moved.commit();
        }
        return records;
    }

    private long untilDueNanos(ThreadCommits thread, long nowNanos) {
        if (thread.moved == null) {
            return Long.MAX_VALUE;
        }
        long latestNanos = Math.max(0, intervalNanos - (nowNanos - thread.movedSinceNanos));
        return thread.isUrgent ? Math.min(latestNanos, thread.budget.untilDueNanos(nowNanos)) : latestNanos;
    }

    /** Records that this thread's transaction was committed. */
    void committed(long startedNanos) {
        ThreadCommits thread = ofThread.get();
        thread.budget.committed(startedNanos, nanoClock.getAsLong());
        if (thread.moved != null) {
            commits.increment();
        }
        thread.end();
    }

    /** Records that this thread's transaction was aborted: its items are moved again. */
    void aborted() {
        ofThread.get().end();
    }

    /** Records that a task is closed: nobody can request a commit of it any more. */
    public void closed(ProcessorContext<?, ?> context) {
        if (ofThread.get().moved == context) {
            ofThread.get().end();
        }
    }

    /** Returns the number of transactions that have moved items. */
    public long commits() {
        return commits.sum();
    }

    long nowNanos() {
        return nanoClock.getAsLong();
    }

    private static final class ThreadCommits {
        private final TransactionBudget budget;
        /** Context of a task with moves that are not committed; null if there are none. */
        private ProcessorContext<?, ?> moved;
        private long movedSinceNanos;
        /** Whether an item waits for the commit. */
        private boolean isUrgent;

        ThreadCommits(TransactionBudget budget) {
            this.budget = budget;
        }

        void end() {
            moved = null;
            isUrgent = false;
        }
    }
}
