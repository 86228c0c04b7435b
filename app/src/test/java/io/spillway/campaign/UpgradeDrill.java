package io.spillway.campaign;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.cli.CommandRun;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;

/**
 * Rolling upgrade of a system under load and the way back: two routers, two workers and a gateway on three brokers,
 * each process stopped and started with the other version when the one before is ready. Used by one thread, which is
 * the owner of everything.
 */
final class UpgradeDrill implements AutoCloseable {
    private static final String PREFIX = "upgrade";
    private static final int PARTITIONS = 6;
    private static final long MEAN_GAP_NANOS = 1_600_000_000;
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final Duration STEADY = Duration.ofSeconds(10);
    private static final Duration AFTER_READY = Duration.ofSeconds(5);

    private final Path directory;
    private final Version earlier;
    private final Brokers brokers;
    private final Path configuration;
    private final RollingProcesses processes;
    private final int gatewayPort = Brokers.freePort();
    private final Gaps attempted = new Gaps();
    private final List<String> table = new ArrayList<>();

    /**
     * What a drill found.
     *
     * @param breaches a line each; empty if every guarantee holds
     * @param accepted items that were confirmed
     * @param unknown  items of which the sender does not know
     * @param ends     items by how they ended
     * @param repeated calls of handlers beyond the first of an item
     * @param table    a line for each step
     */
    record Report(
            List<String> breaches, int accepted, int unknown, Map<String, Long> ends, long repeated,
            List<String> table) {}

    /** Starts the brokers, and all processes with the earlier version. */
    UpgradeDrill(Path directory, Path jar) throws Exception {
        this.directory = directory;
        Files.createDirectories(directory.resolve("calls"));
        this.earlier = Version.of(jar, directory.resolve("handlers"));
        this.brokers = Brokers.of(directory, "", Optional.empty(), Optional.empty());
        String servers = brokers.bootstrapServers(Brokers.Side.CHECKER);
        this.configuration = Files.writeString(directory.resolve("spillway.yml"), """
                kafka: {bootstrapServers: "%s", prefix: %s}
                topics: {partitions: %d, replication: 3, trail: 1h}
                handler: {type: class, class: %s}
                metrics: {port: 0}
                """.formatted(servers, PREFIX, PARTITIONS, UpgradeHandler.class.getName()));
        this.processes = new RollingProcesses(directory, configuration,
                Map.of("SPILLWAY_GATEWAY_PORT", Integer.toString(gatewayPort)), PATIENCE);
        byEarlier("topics", "create").done();
        for (int i = 0; i < 2; i++) {
            processes.start(Fault.Target.ROUTER, "router-" + i, earlier);
            processes.start(Fault.Target.WORKER, "worker-" + i, earlier);
        }
        processes.start(Fault.Target.GATEWAY, "gateway", earlier);
    }

    private static String[] withConfiguration(Path configuration, String... command) {
        return Stream.concat(Stream.of(command), Stream.of("--config", configuration.toString()))
                .toArray(String[]::new);
    }

    private CommandRun byCurrent(String... command) {
        return CommandRun.of(withConfiguration(configuration, command));
    }

    private CommandRun byEarlier(String... command) throws IOException, InterruptedException {
        return earlier.command(directory, List.of(withConfiguration(configuration, command)));
    }

    /**
     * Upgrades, goes back, ends the load, waits until the system is quiet, and checks.
     *
     * @param order  of the roles in the upgrade; the way back takes the opposite one
     * @param signal that stops a process
     */
    Report run(List<Fault.Target> order, String signal, long seed) throws Exception {
        List<String> breaches = new ArrayList<>();
        table.add("topics check of this version: " + byCurrent("topics", "check").out().strip());
        table.add("topics create of this version: " + byCurrent("topics", "create").done().out().strip());
        breaches.addAll(topicsDiffer("topics check of this version after topics create", byCurrent("topics", "check")));
        String servers = brokers.bootstrapServers(Brokers.Side.CHECKER);
        Map<String, Map<String, String>> topics = topics(servers);
        Map<String, String> keys = new HashMap<>();
        for (int i = 0; i < CampaignLoad.TENANTS; i += 3) {
            keys.put(CampaignLoad.tenant(i),
                    byCurrent("tenants", "key", "create", CampaignLoad.tenant(i)).done().out().strip());
        }
        byCurrent("tenants", "set", tenant(CampaignLoad.Kind.SWEPT), "--sweepable", "true").done();
        Set<String> accepted = new HashSet<>();
        Set<String> unknown = new HashSet<>();
        try (SteadyProbe probe = new SteadyProbe(servers, PREFIX, PARTITIONS);
                CampaignLoad load = new CampaignLoad(servers, PREFIX + ".ingress",
                        URI.create("http://127.0.0.1:" + gatewayPort), keys, seed, MEAN_GAP_NANOS)) {
            awaitSteady(probe);
            steady(probe, "earlier version");
            for (Fault.Target role : order) {
                replace(probe, role, Version.current(), signal);
                if (role == order.getFirst()) {
                    rules();
                }
            }
            steady(probe, "this version");
            for (Fault.Target role : order.reversed()) {
                replace(probe, role, earlier, signal);
                if (role == order.getLast()) {
                    rules();
                }
            }
            steady(probe, "earlier version again");
            breaches.addAll(topicsDiffer("topics check of the earlier version", byEarlier("topics", "check")));
            if (!topics.equals(topics(servers))) {
                breaches.add("settings of topics changed: " + topics + " to " + topics(servers));
            }
            load.stop();
            probe.stop();
            Stream.of(load.accepted(), probe.accepted()).forEach(accepted::addAll);
            Stream.of(load.unknown(), probe.unknown()).forEach(unknown::addAll);
        }
        breaches.addAll(quietAndBalanced(accepted.size()));
        breaches.addAll(processes.breaches());
        List<String> calls = Ends.calls(directory.resolve("calls")).stream()
                .map(line -> line.substring(0, line.indexOf(' '))).toList();
        Fates fates = new Fates(accepted, unknown, Ends.read(servers, PREFIX), new HashSet<>(calls));
        breaches.addAll(fates.breaches());
        return new Report(breaches, accepted.size(), unknown.size(), fates.counts(),
                calls.size() - new HashSet<>(calls).size(), table);
    }

    private static String tenant(CampaignLoad.Kind kind) {
        return CampaignLoad.tenant(kind.ordinal());
    }

    private static List<String> topicsDiffer(String what, CommandRun check) {
        return check.exitCode() == 0 ? List.of() : List.of(what + ": " + check);
    }

    /** The first item of each partition needs the first rebalances and a warm JVM. */
    private void awaitSteady(SteadyProbe probe) throws IOException {
        long startNanos = System.nanoTime();
        while (probe.routed().sources() < PARTITIONS || attempts().sources() < PARTITIONS) {
            if (System.nanoTime() - startNanos > PATIENCE.toNanos()) {
                throw new IllegalStateException("routed: " + probe.routed().counts() + "; attempted: "
                        + attempted.counts());
            }
            LockSupport.parkNanos(100_000_000);
        }
    }

    private void steady(SteadyProbe probe, String name) throws InterruptedException, IOException {
        long fromMillis = System.currentTimeMillis();
        Thread.sleep(STEADY);
        add(name, "no restart", probe, fromMillis);
    }

    private void replace(SteadyProbe probe, Fault.Target role, Version version, String signal)
            throws InterruptedException, IOException {
        for (String name : processes.names(role)) {
            long fromMillis = System.currentTimeMillis();
            RollingProcesses.Restart restart = processes.replace(name, version, signal);
            // A rebalance goes on after the new process is ready.
            Thread.sleep(AFTER_READY);
            add(name + " to " + version.name(), "stop %d ms, start %d ms".formatted(
                    restart.stopMillis(), restart.startMillis()), probe, fromMillis);
        }
    }

    private void add(String step, String times, SteadyProbe probe, long fromMillis) throws IOException {
        long toMillis = System.currentTimeMillis();
        Gaps.Longest routed = probe.routed().longest(fromMillis, toMillis);
        Gaps.Longest attempts = attempts().longest(fromMillis, toMillis);
        String line = "%tT %s: %s, longest without a routed item %d ms (%s), without an attempt %d ms (%s)".formatted(
                fromMillis, step, times, routed.millis(), routed.source(), attempts.millis(), attempts.source());
        table.add(line);
        System.out.println(line);
    }

    /** Changes rules by both versions while both run: what one writes, the other has to read. */
    private void rules() throws Exception {
        String paused = tenant(CampaignLoad.Kind.PAUSED);
        String isolated = tenant(CampaignLoad.Kind.ISOLATED);
        repeated(() -> byEarlier("tenants", "pause", paused));
        repeated(() -> byCurrent("tenants", "isolate", isolated));
        repeated(() -> byCurrent(
                "sweep", "record", "--tenant", tenant(CampaignLoad.Kind.SWEPT), "--started-at", "2m"));
        repeated(() -> byCurrent("tenants", "resume", paused));
        repeated(() -> byEarlier("tenants", "release", isolated));
    }

    /** Repeats a command until it succeeds: on a busy machine Kafka may not answer in time. */
    private static void repeated(Callable<CommandRun> command) throws Exception {
        long startNanos = System.nanoTime();
        CommandRun run = command.call();
        while (run.exitCode() != 0 && System.nanoTime() - startNanos < PATIENCE.toNanos()) {
            LockSupport.parkNanos(1_000_000_000);
            run = command.call();
        }
        run.done();
    }

    private static Map<String, Map<String, String>> topics(String servers) throws Exception {
        Map<String, Map<String, String>> topics = new TreeMap<>();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            List<ConfigResource> resources = admin.listTopics().names().get().stream()
                    .filter(name -> name.startsWith(PREFIX))
                    .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name)).toList();
            admin.describeConfigs(resources).all().get().forEach((topic, settings) -> {
                Map<String, String> own = topics.computeIfAbsent(topic.name(), absent -> new TreeMap<>());
                settings.entries().stream()
                        .filter(entry -> entry.source() == ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG)
                        .forEach(entry -> own.put(entry.name(), entry.value()));
            });
        }
        return topics;
    }

    private List<String> quietAndBalanced(int accepted) throws Exception {
        List<String> breaches = new ArrayList<>();
        long startNanos = System.nanoTime();
        CommandRun audit = byCurrent("audit", "--output", "json");
        while (audit.exitCode() != 0 || !isQuiet(audit.json(), accepted)) {
            if (System.nanoTime() - startNanos > PATIENCE.toNanos()) {
                breaches.add("not quiet after " + PATIENCE + ": " + audit + byCurrent("depth"));
                break;
            }
            LockSupport.parkNanos(1_000_000_000);
            audit = byCurrent("audit", "--output", "json");
        }
        table.add("quiet " + (System.nanoTime() - startNanos) / 1_000_000 + " ms after the end of the load");
        CommandRun other = byEarlier("audit");
        if (other.exitCode() != 0) {
            breaches.add("audit of the earlier version: " + other);
        }
        return breaches;
    }

    private static boolean isQuiet(JsonNode audit, int accepted) {
        return audit.get("accepted").asLong() >= accepted && audit.get("moving").asLong() == 0
                && Stream.of("hot", "overflow", "aged", "delay").allMatch(lane -> audit.get(lane).asLong() == 0);
    }

    private Gaps attempts() throws IOException {
        String probe = SteadyProbe.TENANT + "/";
        for (String line : Ends.calls(directory.resolve("calls"))) {
            if (line.startsWith(probe)) {
                String[] parts = line.substring(probe.length()).split(" ");
                attempted.seen(SteadyProbe.source(parts[0]), Long.parseLong(parts[1]));
            }
        }
        return attempted;
    }

    @Override
    public void close() throws IOException {
        processes.close();
        brokers.close();
    }
}
