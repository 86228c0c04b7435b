package io.spillway.campaign;

import static java.util.stream.Collectors.toSet;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.cli.CommandRun;
import io.spillway.guarantee.KeyOrder;
import io.spillway.guarantee.Leases;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * One run: the system at its defaults under load, faults by a schedule, then quiet, then the check of every item. Used
 * by one thread, which is the owner of everything.
 */
final class Campaign implements AutoCloseable {
    /** An audit reads all records that wait: it must not be a load of its own. */
    private static final long AUDIT_EVERY_NANOS = 3_000_000_000L;

    /** Of this run alone, because another cluster outlives it. */
    private final String prefix = "campaign-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());

    private final Path directory;
    private final Optional<Path> clockLibrary;
    private final Optional<Namespaces> network;
    private final Brokers brokers;
    private final Processes processes;
    private final Nemesis nemesis;
    private final Path configuration;
    private final int gatewayPort;
    private final String gatewayHost;

    /**
     * What a run found.
     *
     * @param breaches     a line each; empty if every guarantee holds
     * @param accepted     items that were confirmed
     * @param unknown      items of which the sender does not know
     * @param ends         items by how they ended
     * @param repeated     calls of handlers beyond the first of an attempt
     * @param quietMillis  from the end of load and faults until nothing waited any more
     * @param processes    each process
     */
    record Report(
            List<String> breaches, int accepted, int unknown, Map<String, Long> ends, long repeated, long quietMillis,
            List<Processes.Life> processes) {}

    /** Returns the kinds of faults that this campaign can have. */
    List<Fault> faults() {
        return Arrays.stream(Fault.values())
                .filter(fault -> clockLibrary.isPresent() || fault.target != Fault.Target.CLOCK)
                .filter(fault -> brokers.canFail()
                        || fault.target != Fault.Target.BROKER && fault.target != Fault.Target.LINK)
                .filter(fault -> fault.target != (network.isPresent() ? Fault.Target.LINK : Fault.Target.NETWORK))
                // Only where it is named: one run is too few to have it in all.
                .filter(fault -> fault != Fault.POWER_OFF_BROKER)
                .toList();
    }

    /**
     * Starts two routers, two workers and a gateway below a directory.
     *
     * @param bootstrapServers of a cluster of three brokers or more; empty for three processes of the campaign
     * @param clockLibrary     as in {@link Processes}
     * @param namespaces       whether each broker and process gets a network of its own, instead of faulty proxies
     */
    Campaign(Path directory, String bootstrapServers, Optional<Path> clockLibrary, boolean namespaces)
            throws Exception {
        this.directory = directory;
        this.clockLibrary = clockLibrary;
        this.network = namespaces ? Optional.of(new Namespaces()) : Optional.empty();
        Files.createDirectories(directory.resolve("calls"));
        this.gatewayPort = Brokers.freePort();
        this.brokers = Brokers.of(directory, bootstrapServers, clockLibrary, network);
        this.configuration = Files.writeString(directory.resolve("spillway.yml"), """
                kafka: {bootstrapServers: "%s", prefix: %s}
                topics: {partitions: 6, replication: 3, trail: 24h}
                handler: {type: class, class: %s}
                metrics: {port: 0}
                """.formatted(brokers.bootstrapServers(Brokers.Side.CHECKER), prefix,
                CampaignHandler.class.getName()));
        try {
            command("topics", "create").done();
        } catch (AssertionError | RuntimeException failed) {
            brokers.close();
            network.ifPresent(Namespaces::close);
            throw failed;
        }
        this.processes = new Processes(directory, configuration, clockLibrary, network);
        network.ifPresent(all -> List.of("router-0", "router-1", "worker-0", "worker-1").forEach(all::add));
        this.gatewayHost = network.map(all -> all.add("gateway")).orElse("127.0.0.1");
        for (int i = 0; i < 2; i++) {
            processes.add(Fault.Target.ROUTER, "router-" + i, "router", environment(Brokers.Side.ROUTER));
            // One of the workers also routes, so that items start before their commits.
            processes.add(Fault.Target.WORKER, "worker-" + i, i == 0 ? "worker" : "router,worker",
                    environment(Brokers.Side.WORKER));
        }
        processes.add(Fault.Target.GATEWAY, "gateway", "gateway", environment(Brokers.Side.GATEWAY));
        processes.supervised();
        this.nemesis = new Nemesis(brokers, processes, network,
                new ClusterFaults(brokers.bootstrapServers(Brokers.Side.CHECKER), prefix),
                command -> command(command).exitCode() == 0);
    }

    private Map<String, String> environment(Brokers.Side side) {
        return Map.of("SPILLWAY_KAFKA_BOOTSTRAP_SERVERS", brokers.bootstrapServers(side),
                "SPILLWAY_GATEWAY_PORT", Integer.toString(gatewayPort), "SPILLWAY_GATEWAY_HOST", gatewayHost);
    }

    private CommandRun command(String... command) {
        return CommandRun.of(Stream.concat(Stream.of(command), Stream.of("--config", configuration.toString()))
                .toArray(String[]::new));
    }

    /**
     * Runs a schedule under load, waits until the system is quiet by itself, and checks.
     *
     * @param durationMillis of the load
     * @param patience       for the system to become quiet
     */
    Report run(Schedule schedule, int durationMillis, Duration patience) throws Exception {
        Map<String, String> keys = new HashMap<>();
        for (int i = 0; i < CampaignLoad.TENANTS; i += 3) {
            String tenant = CampaignLoad.tenant(i);
            keys.put(tenant, command("tenants", "key", "create", tenant).done().out().strip());
        }
        command("tenants", "set", CampaignLoad.tenant(CampaignLoad.Kind.SWEPT.ordinal()), "--sweepable", "true").done();
        command("tenants", "set", CampaignLoad.tenant(0), "--rate", "50", "--burst", "50").done();
        command("tenants", "set", CampaignLoad.tenant(CampaignLoad.Kind.HANGING.ordinal()), "--timeout", "5s").done();
        command("tenants", "set", CampaignLoad.tenant(CampaignLoad.Kind.LASTING.ordinal()), "--timeout", "40s").done();
        Set<String> accepted;
        Set<String> unknown;
        try (CampaignLoad load = new CampaignLoad(brokers.bootstrapServers(Brokers.Side.CHECKER), prefix + ".ingress",
                URI.create("http://" + gatewayHost + ":" + gatewayPort), keys, schedule.seed())) {
            play(schedule, durationMillis);
            nemesis.heal();
            load.stop();
            accepted = load.accepted();
            unknown = load.unknown();
        }
        long fromNanos = System.nanoTime();
        List<String> breaches = new ArrayList<>();
        boolean isQuiet = awaitQuiet(fromNanos + patience.toNanos(), accepted.size());
        long quietMillis = (System.nanoTime() - fromNanos) / 1_000_000;
        if (!isQuiet) {
            breaches.add("not quiet after " + patience + ": " + command("depth").out().replace('\n', ';'));
        }
        CommandRun audit = command("audit");
        if (audit.exitCode() != 0) {
            breaches.add("audit: " + audit.out().replace('\n', ';') + audit.err());
        }
        List<String> lines = Ends.calls(directory.resolve("calls"));
        List<String> calls = lines.stream().filter(line -> !Leases.isOne(line)).toList();
        // A worker with another time than the routers claims for another time.
        if (clockLibrary.isEmpty()) {
            // Attempts of items with a key are short: their items are not claimed.
            breaches.addAll(Leases.overlaps(lines.stream().filter(line -> !KeyOrder.isOne(line)).toList()));
            breaches.addAll(KeyOrder.breaches(lines));
        }
        Set<String> called = calls.stream().map(call -> call.substring(0, call.indexOf(' '))).collect(toSet());
        Fates fates = new Fates(accepted, unknown,
                Ends.read(brokers.bootstrapServers(Brokers.Side.CHECKER), prefix), called);
        breaches.addAll(fates.breaches());
        return new Report(breaches, accepted.size(), unknown.size(), fates.counts(),
                calls.size() - (long) new HashSet<>(calls).size(), quietMillis, processes.report());
    }

    private void play(Schedule schedule, int durationMillis) throws InterruptedException {
        PriorityQueue<Nemesis.Step> steps = new PriorityQueue<>(Comparator.comparingLong(Nemesis.Step::atMillis));
        schedule.events().forEach(event -> steps.addAll(nemesis.steps(event)));
        long startNanos = System.nanoTime();
        steps.add(new Nemesis.Step(durationMillis, () -> { }));
        while (!steps.isEmpty()) {
            Nemesis.Step step = steps.remove();
            long waitNanos = step.atMillis() * 1_000_000 - (System.nanoTime() - startNanos);
            if (waitNanos > 0) {
                Thread.sleep(Duration.ofNanos(waitNanos));
            }
            step.action().run();
        }
    }

    /** Waits until the ledger has accepted what was confirmed, and nothing waits. */
    private boolean awaitQuiet(long endNanos, int accepted) {
        while (System.nanoTime() < endNanos) {
            CommandRun audit = command("audit", "--output", "json");
            if (audit.exitCode() == 0 && isQuiet(audit.json(), accepted)) {
                return true;
            }
            LockSupport.parkNanos(AUDIT_EVERY_NANOS);
        }
        return false;
    }

    private static boolean isQuiet(JsonNode audit, int accepted) {
        return audit.get("accepted").asLong() >= accepted && audit.get("moving").asLong() == 0
                && Stream.of("hot", "overflow", "aged", "delay").allMatch(lane -> audit.get(lane).asLong() == 0);
    }

    @Override
    public void close() throws IOException {
        nemesis.close();
        processes.close();
        brokers.close();
        network.ifPresent(Namespaces::close);
    }
}
