package io.spillway.runtime;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.embedded.EmbeddedKafka;
import io.spillway.gateway.AdminKey;
import io.spillway.gateway.Gateway;
import io.spillway.handler.Handler;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ApiKeys;
import io.spillway.kafka.view.CompactedView;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import io.spillway.router.Router;
import io.spillway.worker.Worker;
import io.spillway.worker.handlers.Handlers;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;

/**
 * Parts of one process, started in the order of their dependencies and closed in the reverse order.
 *
 * @param configuration with the cluster that is in use
 * @param embedded      whether that cluster is an embedded Kafka of this process
 * @param ended         reaches 0 when a part has ended, because of a stop or an error
 * @param gatewayUrl    empty if there is no gateway
 */
public record RunningSystem(
        Configuration configuration, boolean embedded, CountDownLatch ended, String gatewayUrl, String metricsUrl) {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    /**
     * Starts the system.
     *
     * @param configured         without bootstrap servers, an embedded Kafka is started in the data directory
     * @param unsafeTransactions whether to run on a cluster whose transactions have known anomalies
     * @param shutdown           closes all opened parts, also if a later part fails to start
     */
    public static RunningSystem start(
            Configuration configured, DataDirectory data, Set<Role> roles, boolean unsafeTransactions,
            Shutdown shutdown) {
        if (roles.contains(Role.WORKER)) {
            Handlers.check(configured.handler(), configured.queue());
        }
        return start(configured, data, roles, unsafeTransactions, shutdown, configuration ->
                Handlers.create(configuration.handler(), configuration.queue(), InstantSource.system()));
    }

    /**
     * Starts the system with another handler.
     *
     * @param handler creates the handler from the configuration with the cluster; the worker closes it
     */
    public static RunningSystem start(
            Configuration configured, DataDirectory data, Set<Role> roles, boolean unsafeTransactions,
            Shutdown shutdown, Function<Configuration, Handler> handler) {
        Optional<AdminKey> adminKey = roles.contains(Role.GATEWAY)
                ? Optional.of(AdminKeys.find(System.getenv(), configured.gateway(), data.path()))
                : Optional.empty();
        boolean embedded = configured.kafka().bootstrapServers().isEmpty();
        Configuration configuration = embedded ? startKafka(configured, data.path(), shutdown) : configured;
        if (!embedded) {
            Cluster.require(configuration, Cluster.ADDRESS_REMEDY, List.of());
        }
        Views views = new Views(new KafkaClients(configuration.queue()), configuration, data, shutdown);
        Topics topics = new Topics(configuration.queue());
        prepareTopics(views.clients(), topics, embedded, unsafeTransactions);

        TenantPolicies policies = views.follow(
                topics.policies(), new TenantPolicies(configuration.defaults(), new SecureRandom().nextLong()));
        Sweeps sweeps = views.follow(topics.sweeps(), new Sweeps());

        List<BooleanSupplier> running = new CopyOnWriteArrayList<>();
        MetricsServer metrics = shutdown.closing(new MetricsServer(configuration.metrics(),
                () -> running.size() == roles.size() && running.stream().allMatch(BooleanSupplier::getAsBoolean)));
        String metricsUrl = startOrFail(metrics::start);
        CountDownLatch ended = new CountDownLatch(1);
        if (roles.contains(Role.ROUTER)) {
            ShardAssignments assignments = new ShardAssignments(
                    configuration.shards().virtualSlots(configuration.topics().partitions()).slots());
            if (topics.assignsShards()) {
                views.follow(topics.shards(), assignments);
            }
            Router router = shutdown.closing(new Router(
                    configuration, data.instance(), stateDirectory(configuration, data), policies, sweeps, assignments,
                    metrics.registry(), InstantSource.system(), System::nanoTime));
            router.start(START_TIMEOUT);
            running.add(router::isRunning);
            watch("router", router::awaitEnd, ended);
        }
        if (roles.contains(Role.WORKER)) {
            Worker worker = shutdown.closing(new Worker(
                    configuration.queue(), configuration.worker(), configuration.metrics().tenants(), data.instance(),
                    handler.apply(configuration), policies, sweeps, metrics.registry(), InstantSource.system(),
                    System::nanoTime, new SplittableRandom()));
            worker.start(START_TIMEOUT);
            running.add(worker::isRunning);
            watch("worker", worker::awaitEnd, ended);
        }
        String gatewayUrl = "";
        if (roles.contains(Role.GATEWAY)) {
            var dependencies = new Gateway.Dependencies(
                    policies, views.follow(topics.keys(), new ApiKeys()), adminKey.orElseThrow(),
                    views.follow(topics.depths(), new Depths()), metrics.registry(), metrics.registry()::scrape);
            Gateway gateway = shutdown.closing(new Gateway(configuration, dependencies, new Gateway.Sources(
                    InstantSource.system(), System::nanoTime, () -> ThreadLocalRandom.current().nextLong())));
            gatewayUrl = startOrFail(gateway::start);
            running.add(gateway::isRunning);
            watch("gateway", gateway::awaitEnd, ended);
        }
        return new RunningSystem(configuration, embedded, ended, gatewayUrl, metricsUrl);
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

    private static Configuration startKafka(Configuration configured, Path data, Shutdown shutdown) {
        EmbeddedKafka kafka = shutdown.closing(
                EmbeddedKafka.start(data.resolve("kafka"), configured.kafka().embeddedPort()));
        return configured.on(kafka.bootstrapServers(), true);
    }

    private static void prepareTopics(KafkaClients clients, Topics topics, boolean create, boolean unsafeTransactions) {
        try (Admin admin = clients.admin()) {
            TopicAdmin topicAdmin = new TopicAdmin(admin);
            List<String> problems = new ArrayList<>(unsafeTransactions ? List.of() : topicAdmin.checkTransactions());
            if (create) {
                topicAdmin.createMissing(topics.all());
            }
            problems.addAll(topicAdmin.check(topics.all()));
            if (!problems.isEmpty()) {
                String more = problems.size() == 1 ? "" : " (and "
                        + Printer.count(problems.size() - 1, "more problem") + "; see: spillway topics check)";
                throw CommandFailure.failed(problems.getFirst() + more);
            }
        }
    }

    /** Views of this instance. */
    private record Views(KafkaClients clients, Configuration configuration, DataDirectory data, Shutdown shutdown) {
        /** Reads the whole topic into the content, which then follows it, and returns the content. */
        <C extends ViewContent<?>> C follow(String topic, C content) {
            shutdown.closing(new CompactedView(clients, topic, content, configuration.router().maxTenants(),
                    Optional.of(ViewProgress.groupOf(topic, data.instance())), InstantSource.system()))
                    .start(START_TIMEOUT);
            return content;
        }
    }

    /** Turns a port in use into a command failure. */
    private static String startOrFail(Supplier<String> start) {
        try {
            return start.get();
        } catch (IllegalStateException e) {
            throw CommandFailure.failed(e.getMessage());
        }
    }

    private static Path stateDirectory(Configuration configuration, DataDirectory data) {
        String configured = configuration.router().stateDir();
        return configured.isEmpty() ? data.path().resolve("state") : Path.of(configured);
    }
}
