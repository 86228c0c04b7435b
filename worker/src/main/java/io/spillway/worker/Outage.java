package io.spillway.worker;

import io.spillway.core.text.Printable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Time since when the Kafka calls of one thread fail or block. It limits how long they are retried, and logs the first
 * failure and one in {@value #LOG_SECONDS} s. Written by one thread, read by any.
 */
final class Outage {
    private static final Logger LOG = LoggerFactory.getLogger(Outage.class);
    private static final int LOG_SECONDS = 10;
    private static final long NONE = Long.MIN_VALUE;

    private final Duration limit;
    private final LongSupplier nanoClock;
    private volatile long sinceNanos = NONE;
    /** Begin of a call that may block and has no result yet. */
    private volatile long callNanos = NONE;
    private long loggedNanos;

    /** Creates an outage that has not begun; calls are retried up to the limit, {@code worker.kafkaTimeout}. */
    Outage(Duration limit, LongSupplier nanoClock) {
        this.limit = limit;
        this.nanoClock = nanoClock;
    }

    /**
     * Records the begin of a call that may block, for up to a minute by Kafka's defaults: its time counts, also before
     * it fails.
     */
    void begins() {
        if (callNanos == NONE) {
            callNanos = nanoClock.getAsLong();
        }
    }

    /**
     * Repeats a call to Kafka while it fails for a reason that can pass, such as a broker that died.
     *
     * @param pause waits before the next try, and returns whether the worker stops
     * @throws WorkerException when it has failed for longer than the limit
     * @throws WakeupException when the worker stops before it succeeds
     */
    <T> T repeat(String action, Supplier<T> call, BooleanSupplier pause) {
        while (true) {
            try {
                return call.get();
            } catch (RetriableException | RebalanceInProgressException e) {
                failed(action, e);
                if (pause.getAsBoolean()) {
                    throw new WakeupException();
                }
            }
        }
    }

    /**
     * Records that a call failed and will be repeated.
     *
     * @param action a verb phrase, such as {@code commit}
     * @throws WorkerException when calls have failed for longer than the limit
     */
    void failed(String action, Throwable cause) {
        boolean isFirst = sinceNanos == NONE;
        long nowNanos = count(action, cause);
        long seconds = TimeUnit.NANOSECONDS.toSeconds(nowNanos - sinceNanos);
        if (isFirst || nowNanos - loggedNanos >= TimeUnit.SECONDS.toNanos(LOG_SECONDS)) {
            loggedNanos = nowNanos;
            LOG.warn("The worker cannot {} since {} s. It is retried, and after worker.kafkaTimeout ({} s) the worker"
                    + " ends: {}", action, seconds, limit.toSeconds(), Printable.of(cause.toString()));
        }
    }

    /** As {@link #failed} does, without a log line; returns the time. */
    long count(String action, Throwable cause) {
        long nowNanos = nanoClock.getAsLong();
        if (sinceNanos == NONE) {
            sinceNanos = callNanos == NONE ? nowNanos : callNanos;
        }
        if (nowNanos - sinceNanos > limit.toNanos()) {
            throw new WorkerException("The worker cannot " + action + " since "
                    + TimeUnit.NANOSECONDS.toSeconds(nowNanos - sinceNanos)
                    + " s, longer than worker.kafkaTimeout. Check the cluster and restart the worker: "
                    + Printable.of(cause.toString()));
        }
        return nowNanos;
    }

    /** Records that a call succeeded, or that there is no call to repeat. */
    void ended() {
        callNanos = NONE;
        if (sinceNanos != NONE) {
            LOG.info("No Kafka call of the worker fails any more, after {} s",
                    TimeUnit.NANOSECONDS.toSeconds(nanoClock.getAsLong() - sinceNanos));
            sinceNanos = NONE;
        }
    }

    /** Returns whether calls have failed or a call has blocked for at least this long. */
    boolean hasLasted(Duration time) {
        long failing = sinceNanos;
        long since = failing == NONE ? callNanos : failing;
        return since != NONE && nanoClock.getAsLong() - since >= time.toNanos();
    }
}
