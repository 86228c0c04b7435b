package io.spillway.cli;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.policy.PolicyField;
import io.spillway.policy.PolicySettings;
import io.spillway.policy.Sweep;
import io.spillway.topic.KafkaClients;
import io.spillway.topic.PolicyCodec;
import io.spillway.topic.SweepCodec;
import io.spillway.topic.QueueAdmin;
import io.spillway.topic.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code spillway demo}: quiet tenants, a flood, old items, a sweep and bad input, routed by the real router on a real Kafka. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = {
            "Shows real items being routed: an embedded Kafka and the router in a directory that is deleted afterwards,",
            "quiet tenants, one that floods, one whose items are old, one that a sweep covers, and one that sends nonsense."
        })
final class DemoCommand implements Callable<Integer> {
    @Mixin
    private CommonOptions common;

    @Option(names = "--seconds", paramLabel = "N", description = "how long items are sent (default: ${DEFAULT-VALUE})", defaultValue = "15")
    private int seconds;

    @Spec
    private CommandSpec spec;

    private final InstantSource clock = InstantSource.system();

    @Override
    public Integer call() throws IOException {
        if (seconds < 3 || seconds > 3600) {
            throw CommandFailure.usage("--seconds " + seconds + ": must be 3 to 3600");
        }
        Printer printer = new Printer(spec, common);
        Path directory = Files.createTempDirectory("spillway-demo");
        Shutdown shutdown = new Shutdown();
        Thread hook = new Thread(() -> cleanUp(shutdown, directory), "shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            printer.note("starting Kafka and the router ...");
            Configuration configured = ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of(
                    "kafka.embeddedPort", "0", "metrics.port", "0", "topics.partitions", "4"));
            DataDirectory data = shutdown.closing(DataDirectory.open(directory));
            RunningSystem system = RunningSystem.start(configured, data, Set.of(Role.ROUTER), false, shutdown);
            play(system.configuration(), shutdown, printer);
        } finally {
            cleanUp(shutdown, directory);
            Runtime.getRuntime().removeShutdownHook(hook);
        }
        return 0;
    }

    private void play(Configuration configuration, Shutdown shutdown, Printer printer) {
        Topics topics = new Topics(configuration);
        try (CompactedTopics compacted = new CompactedTopics(configuration, clock)) {
            compacted.write(topics.policies(), DemoTraffic.NOISY, new PolicyCodec().encode(DemoTraffic.NOISY, PolicySettings.NONE_SET
                    .with(PolicyField.RATE, "50").with(PolicyField.BURST, "100")));
            compacted.write(topics.policies(), DemoTraffic.SWEPT, new PolicyCodec().encode(DemoTraffic.SWEPT, PolicySettings.NONE_SET
                    .with(PolicyField.SWEEPABLE, "true")));
            long nowMillis = clock.millis();
            compacted.write(topics.sweeps(), DemoTraffic.SWEPT,
                    new SweepCodec().encode(DemoTraffic.SWEPT, "demo", new Sweep(nowMillis - 60_000, nowMillis)));
        }
        KafkaClients clients = new KafkaClients(configuration);
        LaneCounts counts = shutdown.closing(new LaneCounts(clients, topics));
        Producer<byte[], byte[]> producer = shutdown.closing(clients.producer());
        DemoTraffic traffic = new DemoTraffic(producer, topics.ingress(), clock);
        for (int second = 1; second <= seconds; second++) {
            traffic.sendForOneSecond(second);
            counts.read();
            printer.note("%3d s  %s".formatted(second, counts.inOneLine()));
        }
        try (Admin admin = clients.admin()) {
            QueueAdmin queues = new QueueAdmin(admin);
            // What is in no lane counts as dropped, so nothing may still be on its way.
            while (queues.read(topics.ingress(), topics.routerGroup()).stream().anyMatch(queue -> queue.behind() > 0)) {
                counts.read();
            }
            counts.readAll(queues, topics);
        }
        if (common.isJson()) {
            printer.json(Map.of("sent", traffic.sent(), "lanes", counts.byTenant()));
        } else {
            printer.line("");
            printer.table(counts.table(traffic.sent()));
            printer.line("");
            printer.line("noisy is held to its 50 items/s: the rest of its flood waits in overflow, out of everybody's way.");
            printer.line("old went to aged, swept was dropped by its sweep, broken lies in dead-letter with its reason.");
        }
    }

    private static void cleanUp(Shutdown shutdown, Path directory) {
        shutdown.close();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw CommandFailure.failed("cannot delete " + directory + ": " + e);
        }
    }
}
