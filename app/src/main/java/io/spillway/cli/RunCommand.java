package io.spillway.cli;

import io.spillway.config.Configuration;
import io.spillway.local.EmbeddedKafka;
import io.spillway.metrics.MetricsServer;
import io.spillway.router.Router;
import io.spillway.topic.CompactedView;
import io.spillway.topic.KafkaClients;
import io.spillway.topic.Sweeps;
import io.spillway.topic.TenantPolicies;
import io.spillway.topic.TopicAdmin;
import io.spillway.topic.Topics;
import io.spillway.topic.ViewContent;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code spillway run}: the system, until SIGTERM. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = {
            "Runs the system until it is told to stop (SIGTERM or Ctrl-C).",
            "Without bootstrap servers it starts an embedded Kafka in the data directory and keeps its data there."
        })
final class RunCommand implements Callable<Integer> {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    /** The parts that a process can play. */
    enum Role {
        ROUTER
    }

    @Mixin
    private CommonOptions common;

    @Option(names = "--roles", split = ",", paramLabel = "ROLE", description = "parts to run, of: router (default: all)")
    private List<String> roles = new ArrayList<>();

    @Option(names = "--unsafe-transactions", description = "run on a cluster whose transaction.version is below 2, at the risk of lost or doubled items")
    private boolean unsafeTransactions;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        Set<Role> chosen = chosenRoles();
        Configuration configured = common.configuration();
        Shutdown shutdown = new Shutdown();
        Thread hook = new Thread(() -> stop(shutdown), "shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            start(configured, chosen, shutdown).awaitEnd();
        } finally {
            // During a stop from outside this waits for the hook, which ends the process.
            shutdown.close();
            Runtime.getRuntime().removeShutdownHook(hook);
        }
        throw CommandFailure.failed("the router has stopped after a fault that it does not recover from; the log says why");
    }

    private Router start(Configuration configured, Set<Role> chosen, Shutdown shutdown) {
        DataDirectory data = shutdown.closing(DataDirectory.open(common.data()));
        boolean embedded = configured.kafka().bootstrapServers().isEmpty();
        Configuration configuration = embedded ? startKafka(configured, data.path(), shutdown) : configured;
        KafkaClients clients = new KafkaClients(configuration);
        Topics topics = new Topics(configuration);
        prepareTopics(clients, topics, embedded);

        TenantPolicies policies = new TenantPolicies(configuration.defaults());
        Sweeps sweeps = new Sweeps();
        follow(clients, topics.policies(), policies, configuration, data, shutdown);
        follow(clients, topics.sweeps(), sweeps, configuration, data, shutdown);

        AtomicReference<Router> running = new AtomicReference<>();
        MetricsServer metrics = shutdown.closing(new MetricsServer(
                configuration.metrics(), () -> running.get() != null && running.get().isRunning()));
        String metricsUrl = startMetrics(metrics);
        Router router = shutdown.closing(new Router(
                configuration, stateDirectory(configuration, data), policies, sweeps, metrics.registry(), InstantSource.system()));
        router.start(data.instance(), START_TIMEOUT);
        running.set(router);

        String kafka = configuration.kafka().bootstrapServers();
        new Endpoint(kafka, metricsUrl, ProcessHandle.current().pid()).write(data.path());
        spec.commandLine().getOut().println("spillway ready kafka=" + kafka + " metrics=" + metricsUrl);
        spec.commandLine().getOut().flush();
        return router;
    }

    private static Configuration startKafka(Configuration configured, Path data, Shutdown shutdown) {
        EmbeddedKafka kafka = shutdown.closing(
                EmbeddedKafka.start(data.resolve("kafka"), configured.kafka().embeddedPort()));
        return configured
                .withKafka(configured.kafka().withBootstrapServers(kafka.bootstrapServers()))
                .withTopics(configured.topics().withReplication(1));
    }

    private void prepareTopics(KafkaClients clients, Topics topics, boolean embedded) {
        try (Admin admin = clients.admin()) {
            TopicAdmin topicAdmin = new TopicAdmin(admin);
            List<String> problems = new ArrayList<>(unsafeTransactions ? List.of() : topicAdmin.checkTransactions());
            if (embedded) {
                topicAdmin.createMissing(topics.all());
            }
            problems.addAll(topicAdmin.check(topics.all()));
            if (!problems.isEmpty()) {
                throw CommandFailure.failed(problems.getFirst()
                        + (problems.size() > 1 ? " (and " + (problems.size() - 1) + " more: spillway topics check)" : ""));
            }
        }
    }

    private static void follow(
            KafkaClients clients, String topic, ViewContent content, Configuration configuration,
            DataDirectory data, Shutdown shutdown) {
        CompactedView view = shutdown.closing(new CompactedView(
                clients, topic, content, configuration.router().maxTenants(),
                Optional.of(ViewProgress.groupOf(topic, data.instance())), InstantSource.system()));
        view.start(START_TIMEOUT);
    }

    private static String startMetrics(MetricsServer metrics) {
        try {
            return metrics.start();
        } catch (IllegalStateException e) {
            throw CommandFailure.failed(e.getMessage());
        }
    }

    private static Path stateDirectory(Configuration configuration, DataDirectory data) {
        String configured = configuration.router().stateDir();
        return configured.isEmpty() ? data.path().resolve("state") : Path.of(configured);
    }

    private Set<Role> chosenRoles() {
        if (roles.isEmpty()) {
            return EnumSet.allOf(Role.class);
        }
        Set<Role> chosen = EnumSet.noneOf(Role.class);
        for (String name : roles) {
            try {
                chosen.add(Role.valueOf(name.strip().toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException e) {
                throw CommandFailure.usage("--roles " + name + ": must be router");
            }
        }
        return chosen;
    }

    private static void stop(Shutdown shutdown) {
        shutdown.close();
        // A stop that was asked for and went well is no failure, whatever the signal's number.
        Runtime.getRuntime().halt(shutdown.isClean() ? 0 : CommandFailure.FAILED);
    }
}
