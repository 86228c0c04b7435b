package io.spillway.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.spillway.embed.SpillwayWorker;
import io.spillway.embed.WorkerHealth;
import java.util.Optional;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;
import tools.jackson.databind.json.JsonMapper;

/**
 * Worker of the application: starts after all other beans, and drains before any of them stops. Does nothing without a
 * method with {@link SpillwayHandler}. Owner of the worker.
 */
public final class WorkerLifecycle implements SmartLifecycle {
    private static final WorkerHealth NO_WORKER = new WorkerHealth(true, "");
    private static final WorkerHealth STOPPED = new WorkerHealth(false, "The worker is stopped.");

    private final SpillwayProperties properties;
    private final ListableBeanFactory beans;
    private final JsonMapper json;
    private final ObjectProvider<MeterRegistry> registry;
    private final ObjectProvider<OpenTelemetry> telemetry;
    /** Empty while it is stopped, or has nothing to handle. */
    private volatile Optional<SpillwayWorker> worker = Optional.empty();
    private volatile boolean running;

    WorkerLifecycle(
            SpillwayProperties properties, ListableBeanFactory beans, JsonMapper json,
            ObjectProvider<MeterRegistry> registry, ObjectProvider<OpenTelemetry> telemetry) {
        this.properties = properties;
        this.beans = beans;
        this.json = json;
        this.registry = registry;
        this.telemetry = telemetry;
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
        }
        running = true;
    }

    @Override
    public void stop() {
        worker.ifPresent(SpillwayWorker::close);
        worker = Optional.empty();
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** The last to start and the first to stop, so that handlers never meet a bean that has stopped. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }

    /** Returns the health of the worker; ready without one if there is nothing to handle. */
    public WorkerHealth health() {
        return running ? worker.map(SpillwayWorker::health).orElse(NO_WORKER) : STOPPED;
    }
}
