package io.spillway.embed;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.spillway.core.policy.Jitter;
import io.spillway.core.retry.Backoff;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.text.Printable;
import io.spillway.handler.Handler;
import io.spillway.worker.WorkerException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Worker of a queue inside an application, built without a configuration file:
 *
 * <pre>{@code
 * SpillwayWorker worker = SpillwayWorker.builder()
 *         .kafka(Map.of("bootstrap.servers", "localhost:9092"))
 *         .prefix("spillway")
 *         .handler(delivery -> Outcome.done())
 *         .build();
 * worker.start();
 * }</pre>
 *
 * <p>The topics of the queue exist already, and a router runs elsewhere. The worker reads the properties of the topics,
 * and the policies of the tenants, from the cluster. It joins the same group as the workers that {@code spillway run}
 * starts, and they share the partitions.
 *
 * <p>After a failure it closes its clients, threads and meters, and starts again after a pause of a second at first and
 * a minute at most.
 *
 * <p>Started once and closed once; thread-safe. Several may run in one JVM, one for each prefix. Owner of its threads,
 * its clients and the handler.
 */
public final class SpillwayWorker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SpillwayWorker.class);
    private static final long FIRST_PAUSE_MILLIS = 1_000;
    private static final long LONGEST_PAUSE_MILLIS = 60_000;

    private enum Phase { NEW, STARTING, RUNNING, CLOSED }

    private final EmbeddedSettings settings;
    private final Handler handler;
    private final MeterRegistry registry;
    private final Supplier<OpenTelemetry> telemetry;
    private final InstantSource clock;
    /** No daemon, so that the JVM of an application without other threads waits for the next start. */
    private final Thread restarts = Thread.ofPlatform().name("worker-restart").unstarted(this::restartAfterFailures);
    private final CountDownLatch closing = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Phase phase = Phase.NEW;
    private volatile WorkerRun run;
    /** Why the latest run has ended, in one line; empty while it works. */
    private volatile String failure = "";

    private SpillwayWorker(
            EmbeddedSettings settings, Handler handler, MeterRegistry registry, Supplier<OpenTelemetry> telemetry,
            InstantSource clock) {
        this.settings = settings;
        this.handler = handler;
        this.registry = registry;
        this.telemetry = telemetry;
        this.clock = clock;
        this.run = newRun();
    }

    private WorkerRun newRun() {
        return new WorkerRun(settings, handler, registry, telemetry, clock);
    }

    /** Returns a builder. Required are the address of the cluster and the handler. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Starts the worker and returns when it has joined the other workers. The worker is closed if that fails.
     *
     * @throws WorkerException if the cluster does not answer, the queue does not exist or cannot be used, or nothing
     *                         progresses for 60 s. The message is one line with a remedy
     * @throws IllegalStateException if it was started or closed before
     */
    public synchronized void start() {
        if (phase != Phase.NEW) {
            throw new IllegalStateException("The worker was started or closed before. Build another one.");
        }
        phase = Phase.STARTING;
        try {
            run.start();
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
        phase = Phase.RUNNING;
        restarts.start();
    }

    private void restartAfterFailures() {
        SplittableRandom random = new SplittableRandom();
        int failures = 0;
        try {
            failure = run.awaitEnd();
            while (true) {
                run.close();
                failures++;
                long pauseMillis = Backoff.waitMillis(
                        Jitter.EQUAL, FIRST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS, failures, 0, random);
                LOG.warn("The worker of queue {} starts again in {} ms", settings.kafka().prefix(), pauseMillis);
                if (closing.await(pauseMillis, TimeUnit.MILLISECONDS)) {
                    return;
                }
                long startNanos = System.nanoTime();
                failure = runAgain();
                if (System.nanoTime() - startNanos > TimeUnit.MILLISECONDS.toNanos(LONGEST_PAUSE_MILLIS)) {
                    failures = 0;
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("Closed");
        }
    }

    /** Starts a run, and returns why it has ended or has not started. */
    private String runAgain() throws InterruptedException {
        run = newRun();
        try {
            run.start();
        } catch (RuntimeException | Error e) {
            String line = e instanceof WorkerException ? e.getMessage() : Printable.of(e.toString());
            LOG.error("The worker of queue {} has not started: {}", settings.kafka().prefix(), line);
            return line;
        }
        failure = "";
        return run.awaitEnd();
    }

    /** Returns whether the worker can work, and if not, why. Does not wait. */
    public WorkerHealth health() {
        String ended = failure;
        return switch (phase) {
            case NEW -> WorkerHealth.notReady("The worker has not been started.");
            case STARTING -> WorkerHealth.notReady("The worker starts.");
            case CLOSED -> WorkerHealth.notReady("The worker is closed.");
            case RUNNING -> ended.isEmpty() ? run.health() : WorkerHealth.notReady(WorkerRun.ENDED + ended);
        };
    }

    /** Waits until the worker is closed, by {@link #close} or because its {@link #start} failed. */
    public void awaitEnd() throws InterruptedException {
        closed.await();
    }

    /**
     * Stops the worker: it leaves the group, so that other workers take over, waits at most {@code worker.drainGrace}
     * for running handler calls, commits what they finished and closes the handler. Waits for a {@link #start} in
     * progress. Calling it again has no effect.
     */
    @Override
    public synchronized void close() {
        if (phase == Phase.CLOSED) {
            return;
        }
        phase = Phase.CLOSED;
        closing.countDown();
        restarts.interrupt();
        try {
            restarts.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        run.close();
        try {
            handler.close();
        } catch (RuntimeException e) {
            LOG.error("Cannot close the handler: {}", Printable.of(e.toString()));
        }
        closed.countDown();
    }

    /** Builder of a {@link SpillwayWorker}. No argument may be null; the last value of a setting counts. */
    public static final class Builder {
        private final Map<String, String> values = new TreeMap<>();
        private Handler handler;
        private MeterRegistry registry = new SimpleMeterRegistry();
        private Supplier<OpenTelemetry> telemetry = GlobalOpenTelemetry::getOrNoop;
        private InstantSource clock = InstantSource.system();

        private Builder() {}

        /**
         * Sets properties of the Kafka clients: {@code bootstrap.servers}, which is required, security and tuning.
         * Serializers, group ids and what guarantees depend on are refused by {@link #build}.
         */
        public Builder kafka(Map<String, String> properties) {
            properties.forEach((name, value) -> setting(
                    name.equals("bootstrap.servers") ? "kafka.bootstrapServers" : "kafka.properties." + name, value));
            return this;
        }

        /** Sets the prefix of the queue's topics, 1 to 200 of {@code A-Z a-z 0-9 . _ -}. Default: spillway. */
        public Builder prefix(String name) {
            return setting("kafka.prefix", name);
        }

        /** Sets the handler, which is required. The worker closes it. */
        public Builder handler(Handler code) {
            handler = Objects.requireNonNull(code, "handler");
            return this;
        }

        /**
         * Sets the name of this worker, which must be the same after a restart and different from that of every other
         * worker of the queue: at most 100 of {@code A-Z a-z 0-9 . _ -}. Default: the name of this host.
         */
        public Builder id(String name) {
            return setting("worker.id", name);
        }

        /** Sets the maximum number of handler calls that run at the same time, 1 to 100000. Default: 50. */
        public Builder slots(int count) {
            return setting("worker.slots", Integer.toString(count));
        }

        /** Sets the time for running handler calls to finish at {@link #close}, 0 to 1 day. Default: 2 minutes. */
        public Builder drainGrace(Duration time) {
            return setting("worker.drainGrace", time.toMillis() + "ms");
        }

        /**
         * Sets settings by their keys in {@code docs/configuration.md}: those below {@code kafka}, {@code worker},
         * {@code killer}, {@code shards} and {@code defaults}, and {@code metrics.tenants}. The routers must have the
         * same {@code shards} and {@code defaults}.
         */
        public Builder settings(Map<String, String> byKey) {
            byKey.forEach(this::setting);
            return this;
        }

        /**
         * Sets the application's registry. Each meter of the worker gets the tag {@code queue} with the prefix, and is
         * removed when the worker closes. Default: none, and nothing is shown.
         */
        public Builder meterRegistry(MeterRegistry applications) {
            registry = Objects.requireNonNull(applications, "meterRegistry");
            return this;
        }

        /**
         * Sets the application's OpenTelemetry, which gets a span for each attempt. Default: the global one when the
         * worker starts, and no spans if there is none.
         */
        public Builder openTelemetry(OpenTelemetry applications) {
            OpenTelemetry given = Objects.requireNonNull(applications, "openTelemetry");
            telemetry = () -> given;
            return this;
        }

        /** Sets the clock for points in time; durations are measured by the JVM. Default: that of the system. */
        public Builder clock(InstantSource source) {
            clock = Objects.requireNonNull(source, "clock");
            return this;
        }

        /**
         * Creates the worker, without a connection.
         *
         * @throws InvalidSettingException if a setting is unknown or its value is not allowed, with one line that says
         *                                 what is
         * @throws IllegalStateException if there is no handler
         */
        public SpillwayWorker build() {
            if (handler == null) {
                throw new IllegalStateException("The worker has no handler. Set it with handler(...)");
            }
            return new SpillwayWorker(EmbeddedSettings.of(values), handler, registry, telemetry, clock);
        }

        private Builder setting(String key, String value) {
            values.put(Objects.requireNonNull(key, "key"), Objects.requireNonNull(value, key));
            return this;
        }
    }
}
