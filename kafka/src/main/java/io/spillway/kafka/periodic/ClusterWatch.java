package io.spillway.kafka.periodic;

import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.KafkaClients;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watch of the cluster for readiness: asks it every two seconds whether it answers. A process that cannot reach Kafka
 * stays alive, because its clients reconnect by themselves, but it is not ready.
 *
 * <p>Owner of its thread and of the resource that it asks. Bound: one question at a time.
 */
public final class ClusterWatch implements AutoCloseable {
    /** Time without an answer after which the cluster counts as unreachable. */
    static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final Logger LOG = LoggerFactory.getLogger(ClusterWatch.class);
    private static final long EVERY_MILLIS = 2_000;
    private static final int ANSWER_MILLIS = 3_000;

    private final Callable<?> question;
    private final Runnable close;
    private final LongSupplier nanoTime;
    private final PeriodicTask task = new PeriodicTask("cluster-watch", this::ask, message ->
            LOG.error("The cluster cannot be asked whether it answers; it is tried again: {}", message));
    private volatile long answeredNanos;
    private boolean isReported;

    /**
     * Creates a watch of a cluster that has just answered.
     *
     * @param question throws when the cluster does not answer
     * @param close    ends a question that is being asked
     */
    ClusterWatch(Callable<?> question, Runnable close, LongSupplier nanoTime) {
        this.question = question;
        this.close = close;
        this.nanoTime = nanoTime;
        this.answeredNanos = nanoTime.getAsLong();
    }

    /**
     * Starts to watch a cluster that has just answered.
     *
     * @param nanoTime clock for durations
     */
    public static ClusterWatch start(KafkaClients clients, StartDelays delays, LongSupplier nanoTime) {
        Admin admin = clients.admin();
        DescribeClusterOptions options = new DescribeClusterOptions().timeoutMs(ANSWER_MILLIS);
        ClusterWatch watch = new ClusterWatch(
                () -> admin.describeCluster(options).nodes().get(), () -> admin.close(Duration.ZERO), nanoTime);
        watch.task.start(delays, EVERY_MILLIS);
        return watch;
    }

    /** Returns whether the cluster has answered within the last ten seconds. */
    public boolean isReachable() {
        return nanoTime.getAsLong() - answeredNanos <= LIMIT_NANOS;
    }

    /** Asks once. Called by one thread at a time. */
    void ask() {
        try {
            question.call();
            if (!isReachable()) {
                report("it answers late");
                isReported = false;
                LOG.warn("Kafka answers again.");
            }
            answeredNanos = nanoTime.getAsLong();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            if (!isReachable()) {
                report(String.valueOf(e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e));
            }
        }
    }

    private void report(String cause) {
        if (!isReported) {
            isReported = true;
            LOG.warn("Kafka has not answered for {} s: {}. This process is not ready until it does. Check the brokers"
                    + " and the network to them.", TimeUnit.NANOSECONDS.toSeconds(LIMIT_NANOS), Printable.of(cause));
        }
    }

    /** Stops the watch, without waiting for an answer. */
    @Override
    public void close() {
        task.close();
        close.run();
    }
}
