package io.spillway.runtime;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.Configuration;
import io.spillway.core.ratelimit.ProportionalRates;
import io.spillway.embedded.EmbeddedKafka;
import io.spillway.gateway.AdminKey;
import io.spillway.gateway.Gateway;
import io.spillway.gateway.PullHandler;
import io.spillway.gateway.WorkServer;
import io.spillway.handler.Handler;
import io.spillway.kafka.periodic.ClusterWatch;
import io.spillway.kafka.periodic.DiskWatch;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ApiKeys;
import io.spillway.kafka.view.DemandExchange;
import io.spillway.kafka.view.Demands;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.InstanceViews;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.TrackedItems;
import io.spillway.kafka.view.TrailFollower;
import io.spillway.operator.ActionLog;
import io.spillway.operator.ActionRecorder;
import io.spillway.operator.KafkaQueue;
import io.spillway.operator.OperatorActions;
import io.spillway.operator.OperatorApi;
import io.spillway.operator.report.KafkaReads;
import io.spillway.router.Router;
import io.spillway.tracing.Tracing;
import io.spillway.worker.Worker;
import io.spillway.worker.handlers.PullSettings;
import io.spillway.worker.handlers.QueueContext;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Parts of one process, started in the order of their dependencies and closed in the reverse order.
 *
 * @param configuration with the cluster that is in use
 * @param embedded      whether that cluster is an embedded Kafka of this process
 * @param ended         reaches 0 when a part has ended, because of a stop or an error
 * @param gatewayUrl    empty if there is no gateway
 * @param workUrl       where external workers lease items; empty with other handlers
 */
public record RunningSystem(
        Configuration configuration, boolean embedded, CountDownLatch ended, String gatewayUrl, String workUrl,
        String metricsUrl) {
    /** Longest time without progress in a start. */
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    /**
     * Starts the system.
     *
     * @param configured without bootstrap servers, an embedded Kafka is started in the data directory
     * @param shutdown   closes all opened parts, also if a later part fails to start
     */
    public static RunningSystem start(Configuration configured, StartOptions options, Shutdown shutdown) {
        return start(configured, options, shutdown, RunningSystem::handler);
    }

    /**
     * Starts the system with another handler.
     *
     * @param factory creates the handler from the configuration with the cluster; the worker closes it
     */
    public static RunningSystem start(
            Configuration configured, StartOptions options, Shutdown shutdown,
            Function<Configuration, Handler> factory) {
        Set<Role> roles = options.roles();
        boolean embedded = configured.kafka().bootstrapServers().isEmpty();
        StartChecks checks = new StartChecks();
        Optional<DataDirectory> opened = checks.run(() -> shutdown.closing(DataDirectory.open(options.data())));
        opened.ifPresent(directory ->
                shutdown.closing(NativeLibraries.unpackBelow(directory.path(), roles.contains(Role.ROUTER))));
        checks.ports(configured, roles, embedded);
        Optional<TraceExport> traces = checks.run(() -> shutdown.closing(TraceExport.open(System.getenv())));
        Optional<AdminKey> adminKey = opened.filter(directory -> roles.contains(Role.GATEWAY)).flatMap(directory ->
                checks.run(() -> AdminKeys.find(System.getenv(), configured.gateway(), directory.path())));
        Optional<AdminKey> viewerKey = adminKey.flatMap(admin -> checks.run(
                () -> AdminKeys.findViewer(System.getenv(), configured.gateway(), admin))).flatMap(key -> key);
        Optional<PullSettings> pulled =
                configured.handler().of(PullSettings.class).filter(ignored -> roles.contains(Role.WORKER));
        if (roles.contains(Role.GATEWAY) || pulled.isPresent()) {
            checks.pass(() -> Gateway.check(configured.gateway()));
        }
        if (roles.contains(Role.ROUTER)) {
            checks.pass(() -> Router.check(configured));
            checks.pass(() -> DataDirectory.requireWritable(
                    stateDirectory(configured, options.data()), "router.stateDir"));
        }
        boolean mayHandle = roles.contains(Role.WORKER)
                && checks.pass(() -> configured.handler().check(context(configured)));
        Optional<AdminKey> workerKey = opened.flatMap(directory -> pulled.filter(ignored -> mayHandle)
                .flatMap(pull -> checks.run(() -> AdminKeys.ofWorkers(pull, directory.path()))));
        Optional<Configuration> reached = reach(configured, embedded, options, checks, shutdown);
        reached.ifPresent(configuration -> checks.pass(() -> TopicPreparation.run(
                configuration, embedded, options, opened.map(DataDirectory::instance).orElse(""))));
        // Without a cluster, only a handler that does not need it can be created.
        Optional<Handler> handler = mayHandle && (reached.isPresent() || configured.handler().topics().isEmpty())
                ? checks.run(() -> shutdown.closing(factory.apply(reached.orElse(configured))))
                : Optional.empty();
        checks.finish();

        Configuration configuration = reached.orElseThrow();
        DataDirectory data = opened.orElseThrow();
        StartDelays delays = StartDelays.of(data.path());
        KafkaClients clients = new KafkaClients(configuration.queue());
        InstanceViews views = shutdown.closing(new InstanceViews(
                clients, data.instance(), configuration.router().maxTenants(), START_TIMEOUT, InstantSource.system()));
        Topics topics = new Topics(configuration.queue());
        TenantPolicies policies = views.follow(
                topics.policies(), new TenantPolicies(configuration.defaults(), new SecureRandom().nextLong()));
        Sweeps sweeps = views.follow(topics.sweeps(), new Sweeps());

        ClusterWatch cluster = shutdown.closing(ClusterWatch.start(clients, delays, System::nanoTime));
        List<BooleanSupplier> ready = new CopyOnWriteArrayList<>();
        Tracing tracing = traces.orElseThrow().tracing();
        MetricsServer metrics = shutdown.closing(new MetricsServer(
                configuration.metrics(), configuration.kafka().prefix(), tracing,
                () -> cluster.isReachable() && ready.size() == roles.size()
                        && ready.stream().allMatch(BooleanSupplier::getAsBoolean)));
        clients.keyStore().ifPresent(keys -> metrics.certificate(keys, InstantSource.system()));
        String metricsUrl = startOrFail(metrics::start);
        DiskWatch disks = shutdown.closing(DiskWatch.of(clients, roles.contains(Role.ROUTER)
                ? Map.of("state", stateDirectory(configuration, data.path())) : Map.of(), delays, metrics.registry()));
        CountDownLatch ended = new CountDownLatch(1);
        Optional<CompletableFuture<Router>> routing = Optional.empty();
        if (roles.contains(Role.ROUTER)) {
            ShardAssignments assignments = new ShardAssignments();
            Optional.of(assignments).filter(here -> topics.assignsShards())
                    .ifPresent(here -> views.follow(topics.shards(), here));
            Router router = withRules(configuration, shutdown.closing(new Router(
                    configuration, data.instance(), stateDirectory(configuration, data.path()), policies, sweeps,
                    assignments, metrics.registry(), InstantSource.system(), System::nanoTime)));
            disks.follow(router::follow);
            // Joining its group and restoring its timers takes longest, and no other role waits for it.
            routing = Optional.of(inBackground("router-start", () -> {
                router.start(START_TIMEOUT);
                return router;
            }));
        }
        String workUrl = "";
        if (roles.contains(Role.WORKER)) {
            if (handler.orElseThrow() instanceof PullHandler pull) {
                // Closed after the worker, whose stop waits for answers.
                WorkServer work = shutdown.closing(new WorkServer(configuration, pull,
                        workerKey.orElseThrow(), metrics.registry(), InstantSource.system(), System::nanoTime));
                workUrl = startOrFail(work::start);
            }
            // Closed after the worker, and before the server of the work API, which waits for its answers.
            shutdown.release(handler.orElseThrow());
            shutdown.closing(handler.orElseThrow());
            Worker worker = shutdown.closing(new Worker(
                    configuration.queue(), configuration.worker(), configuration.metrics().tenants(), data.instance(),
                    delays, handler.orElseThrow(), policies, sweeps, metrics.registry(), tracing,
                    InstantSource.system(), System::nanoTime, new SplittableRandom()));
            worker.start(START_TIMEOUT);
            routing.ifPresent(router -> router.thenAccept(started -> started.startWith(worker::startEarly)));
            ready.add(worker::isReady);
            watch("worker", worker::awaitEnd, ended);
        }
        String gatewayUrl = "";
        if (roles.contains(Role.GATEWAY)) {
            ProportionalRates shares = new ProportionalRates();
            DemandExchange<?> exchange = shutdown.closing(DemandExchange.ofRates(
                    clients, topics, Demands.Role.GATEWAY, data.instance(), shares, InstantSource.system()));
            exchange.start(START_TIMEOUT, delays);
            // Closed after the gateway, from which no more requests come then.
            OperatorApi operator = shutdown.closing(operator(configuration, views, topics, InstantSource.system()));
            var dependencies = new Gateway.Dependencies(
                    policies, views.follow(topics.keys(), new ApiKeys()), adminKey.orElseThrow(), viewerKey, operator,
                    views.follow(topics.depths(), new Depths()), shares, metrics.registry(),
                    metrics.registry()::scrape, cluster::isReachable, sweeps, new KafkaReads(clients,
                            InstantSource.system()), tracked(configuration, clients, topics, policies, shutdown));
            Gateway gateway = shutdown.closing(new Gateway(configuration, dependencies, tracing, new Gateway.Sources(
                    InstantSource.system(), System::nanoTime, () -> ThreadLocalRandom.current().nextLong())));
            disks.follow(gateway::follow);
            gatewayUrl = startOrFail(gateway::start);
            ready.add(gateway::isReady);
            watch("gateway", gateway::awaitEnd, ended);
        }
        routing.map(RunningSystem::join).ifPresent(router -> {
            ready.add(router::isReady);
            watch("router", router::awaitEnd, ended);
        });
        return new RunningSystem(configuration, embedded, ended, gatewayUrl, workUrl, metricsUrl);
    }

    private static Optional<TrackedItems> tracked(
            Configuration configuration, KafkaClients clients, Topics topics, TenantPolicies policies,
            Shutdown shutdown) {
        if (!topics.keepsTrail()) {
            return Optional.empty();
        }
        TrackedItems items = new TrackedItems(
                configuration.gateway().limits().trackedItems(), tenant -> policies.of(tenant).isTracked());
        shutdown.closing(new TrailFollower(clients, topics, items, policies::tracksAny, InstantSource.system()))
                .start();
        return Optional.of(items);
    }

    private static OperatorApi operator(
            Configuration configuration, InstanceViews views, Topics topics, InstantSource clock) {
        return new OperatorApi(
                queue(configuration, clock), configuration,
                views.follow(topics.actions(), new ActionLog(configuration.router().maxTenants())), clock,
                new SecureRandom()::nextLong);
    }

    private static KafkaQueue queue(Configuration configuration, InstantSource clock) {
        return new KafkaQueue(configuration, clock, () -> new CompactedTopics(configuration, clock));
    }

    private static Router withRules(Configuration configuration, Router router) {
        InstantSource clock = InstantSource.system();
        SecureRandom random = new SecureRandom();
        ActionRecorder recorder =
                new ActionRecorder(new Topics(configuration.queue()).actions(), clock, random::nextLong);
        OperatorActions actions = new OperatorActions(
                queue(configuration, clock), configuration, recorder, 0, clock, random);
        router.decideWith(new RuleActions(actions, configuration.router().isolation(), clock));
        return router;
    }

    private static QueueContext context(Configuration configuration) {
        return new QueueContext(configuration.queue(), InstantSource.system());
    }

    private static Handler handler(Configuration configuration) {
        return configuration.handler().of(PullSettings.class)
                .<Handler>map(pull -> new PullHandler(
                        pull, AdminKeys.ofReceipts(pull), UUID.randomUUID().toString(),
                        configuration.gateway().limits().batchBytes(), InstantSource.system()))
                .orElseGet(() -> configuration.handler().create(context(configuration)));
    }

    private static <T> CompletableFuture<T> inBackground(String name, Supplier<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name(name)
                .start(() -> result.completeAsync(task, Runnable::run));
        return result;
    }

    /** Waits for a result, and throws what the task threw. */
    private static <T> T join(CompletableFuture<T> result) {
        try {
            return result.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
    }

    /** Returns for how long a stop may wait for running attempts. */
    public static Duration drainGrace(Configuration configuration, Set<Role> roles) {
        return roles.contains(Role.WORKER) ? configuration.worker().drainGrace() : Duration.ZERO;
    }

    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    private interface End {
        void await() throws InterruptedException;
    }

    private static void watch(String part, End end, CountDownLatch ended) {
        Thread.ofVirtual().name("watch-" + part).start(() -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            ended.countDown();
        });
    }

    /** Returns the addresses for other commands. */
    public Endpoint endpoint() {
        return new Endpoint(gatewayUrl, configuration.kafka().bootstrapServers(), metricsUrl,
                ProcessHandle.current().pid(), embedded);
    }

    /** Starts the embedded Kafka if all is well so far, or tries the configured cluster; empty if neither works. */
    private static Optional<Configuration> reach(
            Configuration configured, boolean embedded, StartOptions options, StartChecks checks, Shutdown shutdown) {
        if (embedded) {
            return Optional.of(configured).filter(ignored -> checks.isClean())
                    .map(ignored -> startKafka(configured, options.data(), shutdown));
        }
        return checks.run(() -> {
            Cluster.require(configured, Cluster.ADDRESS_REMEDY, List.of(), options.given());
            return configured;
        });
    }

    private static Configuration startKafka(Configuration configured, Path data, Shutdown shutdown) {
        EmbeddedKafka kafka = shutdown.closing(
                EmbeddedKafka.start(data.resolve("kafka"), configured.kafka().embeddedPort()));
        return configured.on(kafka.bootstrapServers(), true);
    }

    /** Turns a port in use into a command failure. */
    private static String startOrFail(Supplier<String> start) {
        try {
            return start.get();
        } catch (IllegalStateException e) {
            throw CommandFailure.failed(e.getMessage());
        }
    }

    private static Path stateDirectory(Configuration configuration, Path data) {
        return configuration.router().stateDir().isEmpty() ? data.resolve("state")
                : Path.of(configuration.router().stateDir());
    }
}
