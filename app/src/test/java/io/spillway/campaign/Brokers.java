package io.spillway.campaign;

import io.spillway.guarantee.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;

/**
 * Three brokers, each a process of its own that can be killed, suspended and cut off. Every role reaches them through
 * proxies of its own, and so do the brokers each other; or, in a network of namespaces, directly. Owner of the
 * processes and the proxies; used by one thread.
 */
public final class Brokers implements AutoCloseable {
    static final String CONTROLLER = "CONTROLLER";
    static final int COUNT = 3;
    private static final String DATA = "data";
    /** Sessions of brokers of 9 s, and time to start. */
    private static final long SETTLED_NANOS = 20_000_000_000L;
    /** In a network of namespaces. */
    static final List<String> NAMES = List.of("broker-1", "broker-2", "broker-3");
    /** True for brokers with the code of Kafka's release, without {@link MendedKafka}. */
    static final String RELEASED = "spillway.campaign.released";
    private static final Optional<ReleasedKafka> OTHER_RELEASE = ReleasedKafka.asked();

    /** Who connects through proxies of their own. The checker and the load have no proxy: they do not fail. */
    enum Side { ROUTER, WORKER, GATEWAY, INTERNAL, CHECKER }

    private static final class Broker {
        final int id;
        final String host;
        final Map<Side, Integer> ports = new EnumMap<>(Side.class);
        final Map<Side, FaultyProxy> proxies = new EnumMap<>(Side.class);
        Path settings;
        Path log;
        Process process;
        long launchedNanos;

        Broker(int id, String host) {
            this.id = id;
            this.host = host;
        }

        /** Port at which clients of a side, or brokers, find this one. */
        int advertisedPort(Side side) {
            return proxies.containsKey(side) ? proxies.get(side).port() : ports.get(side);
        }
    }

    private final List<Broker> brokers = new ArrayList<>();
    private final String cluster = Uuid.randomUuid().toString();
    private final String voters;
    private final Optional<FakeClock> clock;

    private final Optional<String> other;
    private final Optional<Namespaces> network;

    /** Uses another cluster, whose brokers have no faults. */
    private Brokers(String bootstrapServers) {
        this.other = Optional.of(bootstrapServers);
        this.network = Optional.empty();
        this.clock = Optional.empty();
        this.voters = "";
    }

    /**
     * Returns three brokers of its own, or the cluster at these addresses unless they are empty.
     *
     * @param clockLibrary that of {@link FakeClock}; empty for right clocks
     * @param network      what they are in; empty for proxies on loopback
     */
    static Brokers of(
            Path directory, String bootstrapServers, Optional<Path> clockLibrary, Optional<Namespaces> network)
            throws IOException {
        return bootstrapServers.isEmpty() ? new Brokers(directory, clockLibrary, network)
                : new Brokers(bootstrapServers);
    }

    /** Starts three brokers with their data below a directory, and waits until each is ready. */
    private Brokers(Path directory, Optional<Path> clockLibrary, Optional<Namespaces> network) throws IOException {
        this.other = Optional.empty();
        this.network = network;
        this.clock = clockLibrary.map(library -> new FakeClock(library, directory.resolve("broker-1.clock")));
        List<ServerSocket> reserved = new ArrayList<>();
        Map<Integer, String> controllers = new LinkedHashMap<>();
        for (int id = 1; id <= COUNT; id++) {
            String name = NAMES.get(id - 1);
            Broker broker = new Broker(id, network.map(all -> all.add(name)).orElse("127.0.0.1"));
            for (Side side : Side.values()) {
                broker.ports.put(side, reserve(reserved));
                if (side != Side.CHECKER && network.isEmpty()) {
                    broker.proxies.put(side, new FaultyProxy(broker.ports.get(side)));
                }
            }
            controllers.put(id, broker.host + ":" + reserve(reserved));
            brokers.add(broker);
        }
        voters = controllers.entrySet().stream()
                .map(entry -> entry.getKey() + "@" + entry.getValue() + ":" + Uuid.randomUuid())
                .collect(Collectors.joining(","));
        for (Broker broker : brokers) {
            Path home = Files.createDirectories(directory.resolve("broker-" + broker.id));
            broker.log = home.resolve("log");
            broker.settings = Files.writeString(home.resolve("settings"), text(settings(
                    broker, home.resolve(DATA), controllers)));
        }
        for (ServerSocket socket : reserved) {
            socket.close();
        }
        if (OTHER_RELEASE.isPresent()) {
            for (Broker broker : brokers) {
                OTHER_RELEASE.get().format(broker.settings, cluster, voters, broker.log);
            }
        }
        brokers.forEach(this::launch);
        for (Broker broker : brokers) {
            awaitReady(broker);
        }
    }

    private static int reserve(List<ServerSocket> reserved) throws IOException {
        ServerSocket socket = openPort();
        reserved.add(socket);
        return socket.getLocalPort();
    }

    /** Returns a port that {@link #openPort} has found, and that is free again. */
    public static int freePort() {
        try (ServerSocket socket = openPort()) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Opens a port below those that systems give to connections: another process could get one of these for a
     * connection before a broker opens it, or while it is down.
     */
    private static ServerSocket openPort() throws IOException {
        while (true) {
            try {
                return new ServerSocket(ThreadLocalRandom.current().nextInt(10_000, 32_000), 1,
                        InetAddress.getLoopbackAddress());
            } catch (BindException taken) {
                // Another one, then.
            }
        }
    }

    private static Map<String, String> settings(Broker broker, Path data, Map<Integer, String> controllers) {
        Map<String, String> settings = new TreeMap<>();
        settings.put("node.id", Integer.toString(broker.id));
        settings.put("process.roles", "broker,controller");
        settings.put("log.dirs", data.toString());
        settings.put("controller.listener.names", CONTROLLER);
        settings.put("controller.quorum.bootstrap.servers", String.join(",", controllers.values()));
        settings.put("inter.broker.listener.name", Side.INTERNAL.name());
        settings.put("listeners", listeners(broker.host, broker.ports) + "," + CONTROLLER + "://"
                + controllers.get(broker.id));
        Map<Side, Integer> advertised = new EnumMap<>(Side.class);
        broker.ports.forEach((side, port) -> advertised.put(side, broker.advertisedPort(side)));
        settings.put("advertised.listeners", listeners(broker.host, advertised));
        settings.put("listener.security.protocol.map", CONTROLLER + ":PLAINTEXT," + broker.ports.keySet().stream()
                .map(side -> side + ":PLAINTEXT").collect(Collectors.joining(",")));
        settings.put("auto.create.topics.enable", "false");
        // Small, because three brokers share one machine; replicated as in production.
        for (String topic : List.of("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")) {
            settings.put(topic + ".replication.factor", "3");
            settings.put(topic + ".num.partitions", "6");
        }
        settings.put("transaction.state.log.min.isr", "2");
        settings.put("offsets.topic.min.isr", "2");
        settings.put("log.cleaner.dedupe.buffer.size", Integer.toString(8 << 20));
        return settings;
    }

    private static String listeners(String host, Map<Side, Integer> ports) {
        return ports.entrySet().stream()
                .map(entry -> entry.getKey() + "://" + host + ":" + entry.getValue()).collect(Collectors.joining(","));
    }

    private static String text(Map<String, String> settings) {
        return settings.entrySet().stream().map(entry -> entry.getKey() + "=" + entry.getValue() + "\n")
                .collect(Collectors.joining());
    }

    /** Returns the addresses of all brokers as clients of this side see them. */
    String bootstrapServers(Side side) {
        return other.orElseGet(() -> brokers.stream().map(broker -> broker.host + ":" + broker.advertisedPort(side))
                .collect(Collectors.joining(",")));
    }

    /** Changes the network between a side and a broker, 0 to 2. */
    void network(int index, Side side, FaultyProxy.State state) {
        brokers.get(index).proxies.get(side).set(state);
    }

    /** Ends every fault of the network. */
    void heal() {
        brokers.forEach(broker -> broker.proxies.values().forEach(proxy -> proxy.set(FaultyProxy.State.GOOD)));
    }

    /** Returns the clock of the first broker, if it can be made wrong. */
    Optional<FakeClock> clock() {
        return clock;
    }

    /** Sends a signal to a broker, 0 to 2: KILL, TERM, STOP or CONT. */
    void signal(int index, String name) {
        if (canFail()) {
            Signals.send(brokers.get(index).process, name);
        }
    }

    /** Returns whether these are processes of this test; those of another cluster are never touched. */
    boolean canFail() {
        return other.isEmpty();
    }

    /** Lets every write of a broker, 0 to 2, to a file fail, or succeed again. */
    void fullDisk(int index, boolean isFull) {
        if (canFail()) {
            Signals.fullDisk(brokers.get(index).process, isFull);
        }
    }

    /**
     * Returns whether all have run for so long that the cluster knows of their last ends: until then one that has lost
     * records, and has not read them again, counts as in sync.
     */
    boolean haveSettled() {
        return canFail() && brokers.stream().allMatch(broker -> broker.process.isAlive()
                && System.nanoTime() - broker.launchedNanos > SETTLED_NANOS);
    }

    /** Kills a broker, 0 to 2, and lets it lose what it has not synced; the same for a seed. */
    void powerOff(int index, long seed) {
        Broker broker = brokers.get(index);
        Signals.send(broker.process, "KILL");
        try {
            broker.process.waitFor();
            LostWrites.cut(broker.settings.resolveSibling(DATA), new SplittableRandom(seed));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Starts a broker that has ended, and does not wait until it is ready. */
    void restart(int index) {
        if (canFail() && !brokers.get(index).process.isAlive()) {
            launch(brokers.get(index));
        }
    }

    private void launch(Broker broker) {
        List<String> command =
                new ArrayList<>(network.map(all -> all.command(NAMES.get(broker.id - 1))).orElse(List.of()));
        if (OTHER_RELEASE.isPresent()) {
            command.addAll(OTHER_RELEASE.get().broker(broker.settings));
        } else {
            command.addAll(ChildJvm.command());
            command.addAll(List.of("-Xmx384m", "-D" + RELEASED + "=" + Boolean.getBoolean(RELEASED),
                    CampaignBroker.class.getName(), broker.settings.toString(), cluster, voters));
        }
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(broker.log.toFile()));
        if (OTHER_RELEASE.isPresent()) {
            builder.redirectOutput(ProcessBuilder.Redirect.appendTo(broker.log.toFile()));
        }
        clock.filter(wrong -> broker.id == 1).ifPresent(wrong -> {
            wrong.set(Duration.ZERO);
            builder.environment().putAll(wrong.environment());
        });
        try {
            broker.process = builder.start();
            broker.launchedNanos = System.nanoTime();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitReady(Broker broker) throws IOException {
        if (OTHER_RELEASE.isPresent()) {
            while (!ReleasedKafka.isOpen(broker.host, broker.ports.get(Side.CHECKER))) {
                if (!broker.process.isAlive()) {
                    throw new IllegalStateException("Broker " + broker.id + " did not start: "
                            + Files.readString(broker.log));
                }
                LockSupport.parkNanos(100_000_000);
            }
            return;
        }
        BufferedReader out = new BufferedReader(
                new InputStreamReader(broker.process.getInputStream(), StandardCharsets.UTF_8));
        if (!"ready".equals(out.readLine())) {
            throw new IllegalStateException("Broker " + broker.id + " did not start: " + Files.readString(broker.log));
        }
    }

    @Override
    public void close() throws IOException {
        for (Broker broker : brokers) {
            broker.process.destroyForcibly();
        }
        try {
            for (Broker broker : brokers) {
                broker.process.waitFor(30, TimeUnit.SECONDS);
                for (FaultyProxy proxy : broker.proxies.values()) {
                    proxy.close();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
