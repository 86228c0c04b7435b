package io.spillway.campaign;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.cli.CommandRun;
import io.spillway.core.item.Lane;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.codec.ItemHeaders;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * One run: the system at its defaults under load, faults by a schedule, then quiet, then the check of every item. Used
 * by one thread, which is the owner of everything.
 */
final class Campaign implements AutoCloseable {
    private static final String PREFIX = "campaign";

    private final Path directory;
    private final Brokers brokers;
    private final Processes processes;
    private final Path configuration;
    private final int gatewayPort;

    /**
     * What a run found.
     *
     * @param breaches     a line each; empty if every guarantee holds
     * @param accepted     items that were confirmed
     * @param unknown      items of which the sender does not know
     * @param ends         items by how they ended
     * @param repeated     calls of handlers beyond the first of an item
     * @param quietMillis  from the end of load and faults until nothing waited any more
     * @param processes    a line for each process
     */
    record Report(
            List<String> breaches, int accepted, int unknown, Map<String, Long> ends, long repeated, long quietMillis,
            List<String> processes) {}

    /** Starts three brokers, two routers, two workers and a gateway below a directory. */
    Campaign(Path directory) throws Exception {
        this.directory = directory;
        Files.createDirectories(directory.resolve("calls"));
        this.gatewayPort = freePort();
        this.brokers = new Brokers(directory);
        this.configuration = Files.writeString(directory.resolve("spillway.yml"), """
                kafka: {bootstrapServers: "%s", prefix: %s}
                topics: {partitions: 6, replication: 3, trail: 1h}
                handler: {type: class, class: %s}
                metrics: {port: 0}
                """.formatted(brokers.bootstrapServers(Brokers.Side.CHECKER), PREFIX,
                CampaignHandler.class.getName()));
        command("topics", "create").done();
        this.processes = new Processes(directory, configuration);
        for (int i = 0; i < 2; i++) {
            processes.add(Fault.Target.ROUTER, "router-" + i, environment(Brokers.Side.ROUTER));
            processes.add(Fault.Target.WORKER, "worker-" + i, environment(Brokers.Side.WORKER));
        }
        processes.add(Fault.Target.GATEWAY, "gateway", environment(Brokers.Side.GATEWAY));
        processes.supervised();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Map<String, String> environment(Brokers.Side side) {
        return Map.of("SPILLWAY_KAFKA_BOOTSTRAP_SERVERS", brokers.bootstrapServers(side),
                "SPILLWAY_GATEWAY_PORT", Integer.toString(gatewayPort));
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
        Set<String> accepted;
        Set<String> unknown;
        try (CampaignLoad load = new CampaignLoad(brokers.bootstrapServers(Brokers.Side.CHECKER), PREFIX + ".ingress",
                URI.create("http://127.0.0.1:" + gatewayPort), keys, schedule.seed())) {
            play(schedule, durationMillis);
            heal();
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
        List<String> calls = calls();
        Fates fates = new Fates(accepted, unknown, ends(), new HashSet<>(calls));
        breaches.addAll(fates.breaches());
        return new Report(breaches, accepted.size(), unknown.size(), fates.counts(),
                calls.size() - (long) new HashSet<>(calls).size(), quietMillis, processes.report());
    }

    private record Step(long atMillis, Runnable action) {}

    private void play(Schedule schedule, int durationMillis) throws InterruptedException {
        PriorityQueue<Step> steps = new PriorityQueue<>((one, other) -> Long.compare(one.atMillis, other.atMillis));
        for (Schedule.Event event : schedule.events()) {
            steps.add(new Step(event.atMillis(), () -> begin(event)));
            steps.add(new Step(event.endMillis(), () -> end(event)));
        }
        long startNanos = System.nanoTime();
        steps.add(new Step(durationMillis, () -> { }));
        while (!steps.isEmpty()) {
            Step step = steps.remove();
            long waitNanos = step.atMillis * 1_000_000 - (System.nanoTime() - startNanos);
            if (waitNanos > 0) {
                Thread.sleep(Duration.ofNanos(waitNanos));
            }
            step.action.run();
        }
    }

    private void begin(Schedule.Event event) {
        System.out.println(event);
        int index = event.index();
        int broker = index % Brokers.COUNT;
        switch (event.fault()) {
            case KILL_ROUTER, KILL_WORKER, KILL_GATEWAY -> processes.end(event.fault().target, index, "KILL");
            case STOP_ROUTER, STOP_WORKER, STOP_GATEWAY -> processes.end(event.fault().target, index, "TERM");
            case SUSPEND_ROUTER, SUSPEND_WORKER, SUSPEND_GATEWAY ->
                    processes.signal(event.fault().target, index, "STOP");
            case DAMAGE_STATE, LOSE_STATE -> {
                processes.end(Fault.Target.ROUTER, index, "KILL");
                try {
                    processes.damage(index, event.fault() == Fault.LOSE_STATE);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            case KILL_BROKER -> brokers.signal(broker, "KILL");
            case STOP_BROKER -> brokers.signal(broker, "TERM");
            case SUSPEND_BROKER -> brokers.signal(broker, "STOP");
            case KILL_ALL_BROKERS -> all(i -> brokers.signal(i, "KILL"));
            case SLOW_NETWORK -> brokers.network(broker, event.side(), FaultyProxy.State.SLOW);
            case SILENT_NETWORK -> brokers.network(broker, event.side(), FaultyProxy.State.SILENT);
            case NOTHING_IN -> brokers.network(broker, event.side(), FaultyProxy.State.NOTHING_IN);
            case NOTHING_OUT -> brokers.network(broker, event.side(), FaultyProxy.State.NOTHING_OUT);
            case CLOSED_NETWORK -> brokers.network(broker, event.side(), FaultyProxy.State.CLOSED);
            case TRICKLE -> brokers.network(broker, event.side(), FaultyProxy.State.TRICKLE);
            case CHANGE_POLICIES -> change();
        }
    }

    /** Commands may fail while the brokers do: then nothing has changed. */
    private void change() {
        command("tenants", "pause", CampaignLoad.tenant(CampaignLoad.Kind.PAUSED.ordinal()));
        command("tenants", "isolate", CampaignLoad.tenant(CampaignLoad.Kind.ISOLATED.ordinal()));
        command("sweep", "record", "--tenant", CampaignLoad.tenant(CampaignLoad.Kind.SWEPT.ordinal()),
                "--started-at", "2m");
    }

    private void end(Schedule.Event event) {
        int index = event.index();
        int broker = index % Brokers.COUNT;
        switch (event.fault().target) {
            case ROUTER, WORKER, GATEWAY -> {
                processes.signal(event.fault().target, index, "CONT");
                processes.release(event.fault().target, index);
            }
            case BROKER -> all(i -> {
                if (i == broker || event.fault() == Fault.KILL_ALL_BROKERS) {
                    brokers.signal(i, "CONT");
                    brokers.restart(i);
                }
            });
            case LINK -> brokers.network(broker, event.side(), FaultyProxy.State.GOOD);
            case POLICIES -> {
                command("tenants", "resume", CampaignLoad.tenant(CampaignLoad.Kind.PAUSED.ordinal()));
                command("tenants", "release", CampaignLoad.tenant(CampaignLoad.Kind.ISOLATED.ordinal()));
            }
        }
    }

    private static void all(IntConsumer action) {
        for (int i = 0; i < Brokers.COUNT; i++) {
            action.accept(i);
        }
    }

    /** Ends all faults. What failed meanwhile must go on by itself. */
    private void heal() {
        brokers.heal();
        all(i -> brokers.signal(i, "CONT"));
        all(brokers::restart);
        processes.heal();
        while (command("tenants", "resume", CampaignLoad.tenant(CampaignLoad.Kind.PAUSED.ordinal())).exitCode() != 0) {
            LockSupport.parkNanos(1_000_000_000);
        }
    }

    /** Waits until the ledger has accepted what was confirmed, and nothing waits. */
    private boolean awaitQuiet(long endNanos, int accepted) {
        while (System.nanoTime() < endNanos) {
            CommandRun audit = command("audit", "--output", "json");
            if (audit.exitCode() == 0 && isQuiet(audit.json(), accepted)) {
                return true;
            }
            LockSupport.parkNanos(1_000_000_000);
        }
        return false;
    }

    private static boolean isQuiet(JsonNode audit, int accepted) {
        return audit.get("accepted").asLong() >= accepted && audit.get("moving").asLong() == 0
                && Stream.of("hot", "overflow", "aged", "delay").allMatch(lane -> audit.get(lane).asLong() == 0);
    }

    private Map<String, Map<String, Integer>> ends() {
        Map<String, Map<String, Integer>> ends = new HashMap<>();
        String servers = brokers.bootstrapServers(Brokers.Side.CHECKER);
        count(ends, KafkaUnderTest.readAll(servers, PREFIX + ".trail"), false);
        count(ends, KafkaUnderTest.readAll(servers, PREFIX + "." + Lane.DEAD_LETTER.label()), true);
        return ends;
    }

    private static void count(
            Map<String, Map<String, Integer>> ends, Collection<ConsumerRecord<byte[], byte[]>> records, boolean dead) {
        records.forEach(record -> ends
                .computeIfAbsent(header(record, ItemHeaders.TENANT) + "/" + header(record, ItemHeaders.ID),
                        absent -> new TreeMap<>())
                .merge(dead ? "dead" : text(record.value()).split(" ")[0], 1, Integer::sum));
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return record.headers().lastHeader(name) == null ? "?" : text(record.headers().lastHeader(name).value());
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private List<String> calls() throws IOException {
        List<String> calls = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory.resolve("calls"))) {
            for (Path file : files.toList()) {
                String content = Files.readString(file);
                // A killed process may leave half a line.
                content.substring(0, content.lastIndexOf('\n') + 1).lines().forEach(calls::add);
            }
        }
        return calls;
    }

    @Override
    public void close() throws IOException {
        processes.close();
        brokers.close();
    }
}
