package io.spillway.embed;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.spillway.core.item.Printable;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.handler.Handler;
import io.spillway.kafka.topics.ClusterWatch;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.StartDelays;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.InstanceViews;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.tracing.Tracing;
import io.spillway.worker.Worker;
import io.spillway.worker.WorkerException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
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
 * <p>Started once and closed once; thread-safe. Several may run in one JVM, one for each prefix. Owner of its threads,
 * its clients and the handler.
 */
public final class SpillwayWorker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SpillwayWorker.class);
    /** Longest time without progress in a start. */
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    /** The default of {@code router.maxTenants}: a limit against a faulty writer. */
    private static final int MAX_TENANTS = 1_000_000;

    private enum Phase { NEW, STARTING, RUNNING, CLOSED }

    private final EmbeddedSettings settings;
    private final Handler handler;
    private final CompositeMeterRegistry registry;
    private final Supplier<OpenTelemetry> telemetry;
    private final InstantSource clock;
    /** Guarded by this. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Phase phase = Phase.NEW;
    private volatile Worker worker;
    private volatile ClusterWatch cluster;

    private SpillwayWorker(
            EmbeddedSettings settings, Handler handler, MeterRegistry metrics, Supplier<OpenTelemetry> telemetry,
            InstantSource clock) {
        this.settings = settings;
        this.handler = handler;
        this.telemetry = telemetry;
        this.clock = clock;
        // Workers of several queues share the application's registry, where each meter needs tags of its own.
        this.registry = new CompositeMeterRegistry(metrics.config().clock());
        registry.config().commonTags("queue", settings.kafka().prefix());
        registry.add(metrics);
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
            open();
            phase = Phase.RUNNING;
        } catch (KafkaFailure e) {
            throw abandon(new WorkerException(e.getMessage(), e));
        } catch (KafkaException e) {
            throw abandon(new WorkerException("The worker cannot start: " + Printable.of(e.toString()), e));
        } catch (RuntimeException e) {
            throw abandon(e);
        }
    }

    private void open() {
        parts.push(handler);
        QueueSettings queue = ExistingQueue.find(settings.kafka());
        KafkaClients clients = new KafkaClients(queue);
        Topics topics = new Topics(queue);
        String id = settings.worker().id();
        StartDelays delays = StartDelays.of(settings.kafka().prefix() + "/" + id);
        InstanceViews views = opened(new InstanceViews(clients, id, MAX_TENANTS, START_TIMEOUT, clock));
        TenantPolicies policies = views.follow(
                topics.policies(), new TenantPolicies(settings.defaults(), new SecureRandom().nextLong()));
        Sweeps sweeps = views.follow(topics.sweeps(), new Sweeps());
        cluster = opened(ClusterWatch.start(clients, delays, System::nanoTime));
        worker = opened(new Worker(queue, settings.worker(), settings.tenantSeries(), id, delays, handler, policies,
                sweeps, registry, Tracing.of(telemetry.get(), System.getenv()), clock, System::nanoTime,
                new SplittableRandom()));
        // From here on the worker closes it.
        parts.remove(handler);
        worker.start(START_TIMEOUT);
        LOG.info("Worker {} of queue {} is ready", id, settings.kafka().prefix());
    }

    private <T extends AutoCloseable> T opened(T part) {
        parts.push(part);
        return part;
    }

    private RuntimeException abandon(RuntimeException failure) {
        close();
        return failure;
    }

    /** Returns whether the worker can work, and if not, why. Does not wait. */
    public WorkerHealth health() {
        return switch (phase) {
            case NEW -> WorkerHealth.notReady("The worker has not been started.");
            case STARTING -> WorkerHealth.notReady("The worker starts.");
            case CLOSED -> WorkerHealth.notReady("The worker is closed.");
            case RUNNING -> running();
        };
    }

    private WorkerHealth running() {
        if (!worker.isRunning()) {
            return WorkerHealth.notReady("The worker ended after a failure. See the log, and start another one.");
        }
        if (!cluster.isReachable()) {
            return WorkerHealth.notReady("Kafka at " + settings.kafka().bootstrapServers()
                    + " has not answered for 10 s. Check the brokers and the network to them.");
        }
        return worker.isReady() ? WorkerHealth.READY
                : WorkerHealth.notReady("Calls to Kafka have failed for 10 s or longer. See the log.");
    }

    /** Waits until the worker has ended, by {@link #close} or by a failure after its {@link #start}. */
    public void awaitEnd() throws InterruptedException {
        Worker started = worker;
        if (started == null) {
            closed.await();
        } else {
            started.awaitEnd();
        }
    }

    /**
     * Stops the worker: it takes no more items, waits at most {@code worker.drainGrace} for running handler calls,
     * commits what they finished, leaves the group and closes the handler. The other workers then handle the rest.
     * Waits for a {@link #start} in progress. Calling it again has no effect.
     */
    @Override
    public synchronized void close() {
        if (phase == Phase.NEW) {
            parts.push(handler);
        }
        phase = Phase.CLOSED;
        while (!parts.isEmpty()) {
            AutoCloseable part = parts.pop();
            try {
                part.close();
            } catch (Exception e) {
                LOG.error("Cannot close {}: {}", part.getClass().getSimpleName(), Printable.of(e.toString()));
            }
        }
        // Removes the meters from the application's registry too, so that a later worker registers its own.
        registry.clear();
        registry.close();
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

        /** Sets the time for running handler calls to finish at {@link #close}, 0 to 20 s. Default: 5 s. */
        public Builder drainGrace(Duration time) {
            return setting("worker.drainGrace", time.toMillis() + "ms");
        }

        /**
         * Sets settings by their keys in {@code docs/configuration.md}: those below {@code kafka}, {@code worker},
         * {@code killer} and {@code defaults}, and {@code metrics.tenants}. The routers must have the same
         * {@code defaults}.
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
