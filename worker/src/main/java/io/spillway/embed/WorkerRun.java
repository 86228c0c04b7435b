package io.spillway.embed;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.text.Printable;
import io.spillway.handler.Handler;
import io.spillway.kafka.periodic.ClusterWatch;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.QueueSettings;
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
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Run of an embedded worker, from its connection to the cluster to its end: started once and closed once. Owner of its
 * threads, its clients and its meters. Thread-safe after its start.
 */
final class WorkerRun implements AutoCloseable {
    /** The reason follows. */
    static final String ENDED = "The worker ended after a failure, and starts again by itself: ";

    private static final Logger LOG = LoggerFactory.getLogger(WorkerRun.class);
    /** Longest time without progress in a start. */
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    /** The default of {@code router.maxTenants}: a limit against a faulty writer. */
    private static final int MAX_TENANTS = 1_000_000;

    private final EmbeddedSettings settings;
    private final Handler handler;
    private final MeterRegistry metrics;
    private final CompositeMeterRegistry registry;
    private final Supplier<OpenTelemetry> telemetry;
    private final InstantSource clock;
    /** Guarded by this. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private Worker worker;
    private ClusterWatch cluster;

    WorkerRun(
            EmbeddedSettings settings, Handler handler, MeterRegistry metrics, Supplier<OpenTelemetry> telemetry,
            InstantSource clock) {
        this.settings = settings;
        this.handler = handler;
        this.metrics = metrics;
        this.telemetry = telemetry;
        this.clock = clock;
        // Workers of several queues share the application's registry, where each meter needs tags of its own.
        this.registry = new CompositeMeterRegistry(metrics.config().clock());
        registry.config().commonTags("queue", settings.kafka().prefix());
        registry.add(metrics);
    }

    /**
     * Starts the worker and returns when it has joined the other workers. It is closed if that fails.
     *
     * @throws WorkerException as {@link SpillwayWorker#start} does
     */
    void start() {
        try {
            open();
        } catch (KafkaFailure | InvalidSettingException e) {
            throw abandon(new WorkerException(e.getMessage(), e));
        } catch (KafkaException e) {
            // Kafka's own message says little, such as "Failed to create new KafkaAdminClient".
            throw abandon(new WorkerException("The worker cannot start: " + Printable.of(e.toString())
                    + (e.getCause() == null ? "" : " (" + Printable.innermostCause(e) + ")"), e));
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private void open() {
        QueueSettings queue = ExistingQueue.find(settings.kafka(), settings.shards());
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
        worker.start(START_TIMEOUT);
        LOG.info("Worker {} of queue {} is ready", id, settings.kafka().prefix());
    }

    private synchronized <T extends AutoCloseable> T opened(T part) {
        parts.push(part);
        return part;
    }

    private WorkerException abandon(WorkerException failure) {
        close();
        return failure;
    }

    /** Waits until the started worker has ended, and returns the failure in one line, or nothing after a close. */
    String awaitEnd() throws InterruptedException {
        return worker.awaitEnd();
    }

    /** Returns whether the started worker can work, and if not, why. */
    WorkerHealth health() {
        if (!worker.isRunning()) {
            return WorkerHealth.notReady(ENDED + "see the log.");
        }
        if (!cluster.isReachable()) {
            return WorkerHealth.notReady("Kafka at " + settings.kafka().bootstrapServers()
                    + " has not answered for 10 s. Check the brokers and the network to them.");
        }
        return worker.isReady() ? WorkerHealth.READY
                : WorkerHealth.notReady("Calls to Kafka have failed for 10 s or longer. See the log.");
    }

    /** Closes all that is open, the last part first. Closing again has no effect. */
    @Override
    public synchronized void close() {
        while (!parts.isEmpty()) {
            AutoCloseable part = parts.pop();
            try {
                part.close();
            } catch (Exception e) {
                LOG.error("Cannot close {}: {}", part.getClass().getSimpleName(), Printable.of(e.toString()));
            }
        }
        // Removes the meters from the application's registry too, so that a later run registers its own.
        registry.clear();
        // Otherwise that one would be closed.
        registry.remove(metrics);
        registry.close();
    }
}
