package io.spillway.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.spillway.embed.SpillwayWorker;
import io.spillway.embed.WorkerHealth;
import io.spillway.kafka.periodic.PeriodicTask;
import io.spillway.kafka.periodic.StartDelays;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import tools.jackson.databind.json.JsonMapper;

/**
 * Worker of the application: starts in the last phase, when all beans exist, and drains before any bean stops. It
 * publishes each change of its {@link WorkerAvailability}. Does nothing without a method with {@link SpillwayHandler}.
 * Owner of the worker.
 */
public final class WorkerLifecycle implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerLifecycle.class);
    private static final long PUBLISH_MILLIS = 1_000;
    private static final WorkerHealth NO_WORKER = new WorkerHealth(true, "");
    private static final WorkerHealth STOPPED = new WorkerHealth(false, "The worker is stopped.");

    private final SpillwayProperties properties;
    private final ListableBeanFactory beans;
    private final JsonMapper json;
    private final ObjectProvider<MeterRegistry> registry;
    private final ObjectProvider<OpenTelemetry> telemetry;
    private final ApplicationEventPublisher events;
    /** Empty while it is stopped, or has nothing to handle. */
    private volatile Optional<SpillwayWorker> worker = Optional.empty();
    private volatile boolean running;
    private Optional<PeriodicTask> watch = Optional.empty();
    private volatile Optional<WorkerAvailability> published = Optional.empty();

    WorkerLifecycle(
            SpillwayProperties properties, ListableBeanFactory beans, JsonMapper json,
            ObjectProvider<MeterRegistry> registry, ObjectProvider<OpenTelemetry> telemetry,
            ApplicationEventPublisher events) {
        this.properties = properties;
        this.beans = beans;
        this.json = json;
        this.registry = registry;
        this.telemetry = telemetry;
        this.events = events;
    }

    @Override
    public void start() {
        HandlerMethods methods = HandlerMethods.of(beans, json);
        if (!methods.isEmpty()) {
            SpillwayWorker.Builder builder = SpillwayWorker.builder()
                    .kafka(properties.kafka())
                    .prefix(properties.prefix())
                    .id(properties.worker().id())
                    .slots(properties.worker().slots())
                    .settings(properties.settings())
                    .meterRegistry(registry.getIfUnique(SimpleMeterRegistry::new))
                    .handler(methods);
            telemetry.ifUnique(builder::openTelemetry);
            SpillwayWorker built = builder.build();
            built.start();
            worker = Optional.of(built);
            running = true;
            publish();
            PeriodicTask task = new PeriodicTask("spillway-availability", this::publish, failure -> LOG.warn(
                    "The availability of the worker cannot be published; it is tried again: {}", failure));
            task.start(StartDelays.of(properties.prefix()), PUBLISH_MILLIS);
            watch = Optional.of(task);
        }
        running = true;
    }

    /** Publishes a change of whether the worker is ready. */
    private synchronized void publish() {
        WorkerAvailability now = health().ready() ? WorkerAvailability.READY : WorkerAvailability.NOT_READY;
        if (!Optional.of(now).equals(published)) {
            published = Optional.of(now);
            AvailabilityChangeEvent.publish(events, this, now);
        }
    }

    @Override
    public void stop() {
        watch.ifPresent(PeriodicTask::close);
        watch = Optional.empty();
        worker.ifPresent(SpillwayWorker::close);
        worker = Optional.empty();
        running = false;
        if (published.isPresent()) {
            publish();
        }
    }

    /**
     * Stops the worker before other beans hear of the end: then executors of Spring take no more tasks. Later, beans of
     * the same phase stop in any order.
     */
    @EventListener
    @Order(Ordered.HIGHEST_PRECEDENCE)
    void stopFirst(ContextClosedEvent event) {
        // The publisher is the context of the worker; a child of it may close alone.
        if (event.getApplicationContext() == events) {
            stop();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** The last phase to start and the first to stop. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }

    /** Returns the health of the worker; ready without one if there is nothing to handle. */
    public WorkerHealth health() {
        return running ? worker.map(SpillwayWorker::health).orElse(NO_WORKER) : STOPPED;
    }
}
