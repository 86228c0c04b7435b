package io.spillway.bench.load;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.spillway.bench.peers.QueueUnderTest;
import io.spillway.bench.support.BenchItems;
import io.spillway.bench.support.Progress;
import io.spillway.bench.support.Scene;
import io.spillway.bench.support.TemporaryDirectory;
import io.spillway.core.policy.PolicySettings;
import io.spillway.handler.Handler;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.router.Router;
import io.spillway.tracing.Tracing;
import io.spillway.worker.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

/** The product's workers, and its router where items come in by the input, on the topics of a scene. */
public final class RunningQueue implements QueueUnderTest {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final long SEED = 20_261_121;

    private final TemporaryDirectory state = new TemporaryDirectory();
    /** One for each start of a worker, because a gauge has one owner in a registry. The first is the router's too. */
    private final List<PrometheusMeterRegistry> registries = new CopyOnWriteArrayList<>();
    private final Router router;
    /** By its number and registry. */
    private final BiFunction<Integer, MeterRegistry, Worker> newWorker;
    private final List<Worker> workers;
    /** The worker that a restart has closed; it is in the list until its successor runs. */
    private volatile Worker replaced;

    private RunningQueue(
            Scene scene, int workers, Handler handler, Tracing tracing, Map<Integer, PolicySettings> own,
            boolean withRouter) {
        TenantPolicies policies = new TenantPolicies(scene.configuration().defaults());
        own.forEach((tenant, settings) ->
                policies.put(BenchItems.tenant(tenant), TenantPolicies.encode(BenchItems.tenant(tenant), settings)));
        Sweeps sweeps = new Sweeps();
        PrometheusMeterRegistry first = registry();
        this.router = withRouter
                ? new Router(
                        scene.configuration(),
                        scene.prefix(),
                        state.path(),
                        policies,
                        sweeps,
                        new ShardAssignments(),
                        first,
                        InstantSource.system(), System::nanoTime)
                : null;
        this.newWorker = (number, registry) -> {
            String name = number == 0 ? scene.prefix() : scene.prefix() + "-" + number;
            return new Worker(
                    scene.configuration().queue(), scene.configuration().worker(),
                    scene.configuration().metrics().tenants(), name, StartDelays.of(name), handler,
                    policies, sweeps, registry, tracing, InstantSource.system(),
                    System::nanoTime, new SplittableRandom(SEED + number));
        };
        this.workers = new CopyOnWriteArrayList<>(IntStream.range(0, workers)
                .mapToObj(number -> newWorker.apply(number, number == 0 ? first : registry()))
                .toList());
    }

    private PrometheusMeterRegistry registry() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        registries.add(registry);
        return registry;
    }

    /**
     * Starts all, and returns when they have their partitions.
     *
     * @param workers how many, 1 or more
     * @param own policies of the tenants that have one, by number
     * @param together whether the first worker starts items early, as in a process with both roles
     */
    public static RunningQueue start(
            Scene scene, int workers, Handler handler, Map<Integer, PolicySettings> own, boolean together) {
        RunningQueue queue = new RunningQueue(scene, workers, handler, Tracing.OFF, own, true);
        try {
            queue.router.start(START_TIMEOUT);
            queue.workers.forEach(worker -> worker.start(START_TIMEOUT));
            if (together) {
                queue.router.startWith(queue.workers.getFirst()::startEarly);
            }
            new Progress(scene.admin()).awaitBalanced(
                    scene.topics().routerGroup(), scene.configuration().topics().partitions());
        } catch (RuntimeException e) {
            // A command that measures several fleets goes on without this one.
            queue.close();
            throw e;
        }
        return queue;
    }

    /** Starts the worker alone. */
    public static RunningQueue startWorker(Scene scene, Handler handler, Tracing tracing) {
        RunningQueue queue = new RunningQueue(scene, 1, handler, tracing, Map.of(), false);
        queue.workers.forEach(worker -> worker.start(START_TIMEOUT));
        return queue;
    }

    /**
     * Closes a worker and starts another one of the same name; returns when that one has partitions.
     *
     * @param number of the worker, from 0
     */
    void restart(int number) {
        Worker old = workers.get(number);
        replaced = old;
        old.close();
        Worker successor = newWorker.apply(number, registry());
        try {
            successor.start(START_TIMEOUT);
        } catch (RuntimeException e) {
            successor.close();
            throw e;
        }
        workers.set(number, successor);
    }

    @Override
    public boolean isRunning() {
        return workers.stream().allMatch(worker -> worker.isRunning() || worker == replaced)
                && (router == null || router.isRunning());
    }

    /** A counter of ours, of all its tags together. */
    double counter(String name) {
        return registries.stream().flatMap(registry -> registry.find(name).counters().stream())
                .mapToDouble(counter -> counter.count()).sum();
    }

    /** A gauge of ours, of all its tags together; 0 when there is none. */
    double gauge(String name) {
        return registries.stream().flatMap(registry -> registry.find(name).gauges().stream())
                .mapToDouble(gauge -> gauge.value()).filter(Double::isFinite).sum();
    }

    /** Series that a scrape of all registries has. */
    public long series() {
        return registries.stream().flatMap(registry -> registry.scrape().lines())
                .filter(line -> !line.startsWith("#")).count();
    }

    /** Where the router keeps its state. */
    public Path stateDirectory() {
        return state.path();
    }

    @Override
    public int givenUp() {
        return (int) counter("spillway.dead_lettered");
    }

    /** The figures that tell where items are, for whoever wonders. */
    @Override
    public String figures() {
        return registries.stream().flatMap(registry -> registry.getMeters().stream())
                .filter(
                        meter -> meter.getId()
                                .getName()
                                .matches(
                                        "spillway\\.(routed|moved|handled|dead_lettered|dropped|in_flight|worker\\..*|leases.*|router\\.timers.*|delay.*)"))
                .flatMap(RunningQueue::figures)
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private static java.util.stream.Stream<String> figures(Meter meter) {
        String tags = meter.getId().getTags().stream().map(Tag::getValue).collect(Collectors.joining("/"));
        String name =
                meter.getId().getName().substring("spillway.".length()) + (tags.isEmpty() ? "" : "[" + tags + "]");
        return StreamSupport.stream(meter.measure().spliterator(), false)
                .filter(measurement -> measurement.getValue() != 0)
                .limit(1)
                .map(measurement -> name + " " + Math.round(measurement.getValue()));
    }

    @Override
    public void close() {
        workers.forEach(Worker::close);
        if (router != null) {
            router.close();
        }
        registries.forEach(PrometheusMeterRegistry::close);
        state.close();
    }
}
