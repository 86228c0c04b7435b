package io.spillway.bench.support;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The broker's process and its directory, both gone after {@link #close}. */
public final class BrokerProcess implements AutoCloseable {
    private static final String MAX_HEAP = "-Xmx1g";

    private final TemporaryDirectory directory;
    private final Process process;
    private final String bootstrapServers;

    private BrokerProcess(TemporaryDirectory directory, Process process, String bootstrapServers) {
        this.directory = directory;
        this.process = process;
        this.bootstrapServers = bootstrapServers;
    }

    /** Starts a broker on the class path and with the JVM of this process, and waits until it is ready. */
    public static BrokerProcess start() {
        try {
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
                    directory.path().toString()));
            Process process = new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
            return new BrokerProcess(directory, process, awaitReady(process));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String bootstrapServers() {
        return bootstrapServers;
    }

    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
            directory.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String awaitReady(Process process) throws IOException {
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith(BrokerMain.READY)) {
                return line.substring(BrokerMain.READY.length());
            }
        }
        throw new IOException("the broker ended before it was ready; its log says why");
    }
}
