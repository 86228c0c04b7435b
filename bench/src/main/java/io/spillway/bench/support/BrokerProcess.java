package io.spillway.bench.support;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** The broker's process and its directory, both gone after {@link #close}. */
public final class BrokerProcess implements AutoCloseable {
    private static final String MAX_HEAP = "-Xmx1g";

    private final TemporaryDirectory directory;
    private final Process process;
    private final BufferedReader out;
    private final String bootstrapServers;
    private final Optional<DelayProxy> distance;

    private BrokerProcess(TemporaryDirectory directory, Process process, Optional<DelayProxy> distance)
            throws IOException {
        this.directory = directory;
        this.process = process;
        this.distance = distance;
        this.out = process.inputReader(StandardCharsets.UTF_8);
        int port = Integer.parseInt(answer(BrokerMain.READY));
        distance.ifPresent(proxy -> proxy.forward(port));
        this.bootstrapServers = "127.0.0.1:" + distance.map(DelayProxy::port).orElse(port);
    }

    /**
     * Starts a broker on the class path and with the JVM of this process, and waits until it is ready.
     *
     * @param roundTrip network time between its clients and it, and back; also of its connections to itself
     */
    public static BrokerProcess start(Duration roundTrip) {
        try {
            Optional<DelayProxy> distance =
                    roundTrip.isZero() ? Optional.empty() : Optional.of(new DelayProxy(roundTrip));
            TemporaryDirectory directory = new TemporaryDirectory();
            List<String> command = new ArrayList<>();
            command.add(ProcessHandle.current().info().command().orElse("java"));
            command.addAll(List.of(
                    MAX_HEAP,
                    "--enable-native-access=ALL-UNNAMED",
                    "-XX:+IgnoreUnrecognizedVMOptions",
                    "--sun-misc-unsafe-memory-access=allow",
                    "-cp",
                    System.getProperty("java.class.path"),
                    BrokerMain.class.getName(),
                    directory.path().toString(),
                    distance.map(proxy -> Integer.toString(proxy.port())).orElse("0")));
            Process process = new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
            return new BrokerProcess(directory, process, distance);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String bootstrapServers() {
        return bootstrapServers;
    }

    /** Where the broker keeps its topics. */
    public Path directory() {
        return directory.path();
    }

    public long pid() {
        return process.pid();
    }

    /** Returns how many requests of each API the broker has received since its start. */
    public Map<String, Long> requests() {
        try {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
            Map<String, Long> requests = new TreeMap<>();
            for (String each : answer(BrokerMain.REQUESTS).split(" ")) {
                String[] parts = each.split("=", 2);
                requests.put(parts[0], Long.parseLong(parts[1]));
            }
            return requests;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
            distance.ifPresent(DelayProxy::close);
            directory.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String answer(String start) throws IOException {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith(start)) {
                return line.substring(start.length());
            }
        }
        throw new IOException("the broker has ended; its log says why");
    }
}
