package io.spillway.router.ledger;

import io.spillway.core.engine.CommitPace;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.kafka.streams.processor.api.ProcessorContext;

/**
 * Pace of the commits of the stream threads. Moved items are visible after the commit, so each thread commits when it
 * has processed what a poll brought, as often as {@link CommitPace} allows, and after {@code router.commitInterval} at
 * the latest, which Kafka Streams sees to.
 *
 * <p>A stream thread polls when it has nothing left to process. If it has moved items and a commit is due, its consumer
 * polls without waiting; if a commit is due soon, it waits no longer than that. After the poll Kafka Streams makes the
 * commit that was requested.
 *
 * <p>Thread-safe: each stream thread owns a pace of its own, which the processors, the consumer and the producer of
 * that thread find by it.
 */
public final class CommitPacer {
    /** As much for transactions as for waiting: half of an idle thread's time. */
    private static final double IDLE_PER_COST = 1;
    private static final double BUSY_PER_COST = 10;

    private final LongSupplier nanoClock;
    private final ThreadLocal<ThreadPace> ofThread;

    /**
     * Creates a pacer.
     *
     * @param commitInterval longest time between two commits, more than 0
     */
    public CommitPacer(Duration commitInterval, LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.ofThread = ThreadLocal.withInitial(() ->
                new ThreadPace(new CommitPace(IDLE_PER_COST, BUSY_PER_COST, commitInterval.toNanos())));
    }

    /** Records that the task of this context has moved an item, on the task's thread. */
    public void moved(ProcessorContext<?, ?> context) {
        ofThread.get().moved = context;
    }

    /**
     * Polls as a stream thread does when it has nothing left to process, and requests a commit if one is due.
     *
     * @param timeout longest time to wait for records
     * @param poll    polls with a timeout
     */
    public <R> R poll(Duration timeout, Function<Duration, R> poll) {
        ThreadPace thread = ofThread.get();
        long startNanos = nanoClock.getAsLong();
        Duration wait = timeout;
        if (thread.moved != null) {
            Duration due = Duration.ofNanos(thread.pace.untilDueNanos(startNanos));
            wait = due.compareTo(timeout) < 0 ? due : timeout;
        }
        R records = poll.apply(wait);
        long nowNanos = nanoClock.getAsLong();
        thread.pace.idle(nowNanos - startNanos);
        if (thread.moved != null && thread.pace.untilDueNanos(nowNanos) == 0) {
            thread.moved.commit();
        }
        return records;
    }

    /** Records that this thread's transaction was committed. */
    void committed(long startedNanos) {
        ThreadPace thread = ofThread.get();
        thread.pace.committed(startedNanos, nanoClock.getAsLong());
        thread.moved = null;
    }

    /** Records that this thread's transaction was aborted: its items are moved again. */
    void aborted() {
        ofThread.get().moved = null;
    }

    long nowNanos() {
        return nanoClock.getAsLong();
    }

    private static final class ThreadPace {
        private final CommitPace pace;
        /** Context of a task with moves that are not committed; null if there are none. */
        private ProcessorContext<?, ?> moved;

        ThreadPace(CommitPace pace) {
            this.pace = pace;
        }
    }
}
