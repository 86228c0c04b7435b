package io.spillway.embedded;

import io.spillway.guarantee.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Embedded Kafka in a child JVM, so that a test can kill it and a benchmark does not share its heap. The child ends
 * when its standard input closes, so also with this process. Owner of the child; not thread-safe.
 */
public final class BrokerProcess implements AutoCloseable {
    private static final String READY = "ready ";

    private final Class<?> main;
    private final Path dataDirectory;
    private final Path log;
    private int port;
    private Process process;

    private BrokerProcess(Class<?> main, Path dataDirectory) {
        this.main = main;
        this.dataDirectory = dataDirectory;
        this.log = dataDirectory.resolveSibling(dataDirectory.getFileName() + ".log");
    }

    /**
     * Starts a broker on a free port and waits until clients can use it.
     *
     * @param dataDirectory as for {@link EmbeddedKafka#start}; the child's log is the file next to it with the suffix
     *     {@code .log}
     * @throws IllegalStateException if it does not start; the message contains the child's log
     */
    public static BrokerProcess start(Path dataDirectory) {
        return start(BrokerProcess.class, dataDirectory);
    }

    /** As {@link #start(Path)}, with a class whose main method calls {@link #main} of this one. */
    public static BrokerProcess start(Class<?> main, Path dataDirectory) {
        BrokerProcess broker = new BrokerProcess(main, dataDirectory);
        broker.restart();
        return broker;
    }

    /** Returns the address for clients, which restarts do not change. */
    public String bootstrapServers() {
        return LoopbackSockets.HOST + ":" + port;
    }

    /** Returns the process id of the current child. */
    public long pid() {
        return process.pid();
    }

    /** Kills the child (SIGKILL) and waits for its end. */
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** Restarts the broker with its data and port after {@link #kill} or {@link #stop}; waits until it is ready. */
    public void restart() {
        if (process != null && process.isAlive()) {
            throw new IllegalStateException("The broker is still running. Kill or stop it first.");
        }
        try {
            process = new ProcessBuilder(command())
                    .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            // Not closed: the child would lose its standard output.
            BufferedReader lines = process.inputReader();
            String ready = lines.readLine();
            if (ready == null || !ready.startsWith(READY)) {
                kill();
                throw new IllegalStateException("The broker did not start: " + Files.readString(log));
            }
            port = Integer.parseInt(ready.substring(READY.length()));
        } catch (IOException e) {
            throw new IllegalStateException("The broker could not be started", e);
        }
    }

    /** Stops the child cleanly and waits for its end. */
    public void stop() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It has ended already.
        }
        awaitEnd();
    }

    @Override
    public void close() {
        stop();
    }

    private void awaitEnd() {
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private List<String> command() {
        List<String> command = new ArrayList<>(ChildJvm.command());
        command.add(main.getName());
        command.add(dataDirectory.toString());
        command.add(Integer.toString(port));
        return command;
    }

    /** Runs the child with the arguments {@code DATA-DIRECTORY PORT}. */
    public static void main(String[] args) throws IOException {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(Path.of(args[0]), Integer.parseInt(args[1]));
                InputStream parent = System.in) {
            System.out.println(READY + kafka.port());
            parent.transferTo(OutputStream.nullOutputStream());
        }
    }
}
