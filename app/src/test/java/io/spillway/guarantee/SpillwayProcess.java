package io.spillway.guarantee;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** {@code spillway run} in a JVM of its own, that can be killed. Owns the child; not thread-safe. */
public final class SpillwayProcess implements AutoCloseable {
    private final Process process;
    private final Path log;
    private final BufferedReader out;
    private String readyLine;

    private SpillwayProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
        this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * Starts it, and returns when it is ready.
     *
     * @param directory   its data directory; its log goes there too
     * @param environment settings, as {@code SPILLWAY_…} variables
     * @param arguments   after {@code run}
     * @throws IllegalStateException if it does not get ready, with what it said
     */
    public static SpillwayProcess start(Path directory, Map<String, String> environment, String... arguments) {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED",
                "-cp", System.getProperty("java.class.path"), "io.spillway.cli.Main");
        return start(command, directory, environment, arguments);
    }

    /**
     * As {@link #start(Path, Map, String...)}, by the launcher, as a user does.
     *
     * @param launcher a copy of {@code ./spillway}, with what was built where it looks for it
     */
    public static SpillwayProcess launch(
            Path launcher, Path directory, Map<String, String> environment, String... arguments) {
        return start(List.of(launcher.toString()), directory, environment, arguments);
    }

    private static SpillwayProcess start(
            List<String> program, Path directory, Map<String, String> environment, String... arguments) {
        try {
            Files.createDirectories(directory);
            Path log = directory.resolve("log");
            List<String> command = new ArrayList<>(program);
            command.addAll(List.of("run", "--data", directory.toString()));
            command.addAll(List.of(arguments));
            ProcessBuilder builder = new ProcessBuilder(command);
            // Free ports unless told otherwise: several run at one time.
            builder.environment().putAll(Map.of("SPILLWAY_METRICS_PORT", "0", "SPILLWAY_GATEWAY_PORT", "0"));
            builder.environment().putAll(environment);
            builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
            SpillwayProcess started = new SpillwayProcess(builder.start(), log);
            started.awaitReady();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The first line that it printed. */
    public String readyLine() {
        return readyLine;
    }

    /** What it printed after that, up to its end. */
    public List<String> furtherOutput() {
        return out.lines().toList();
    }

    /** What it has logged. */
    public String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public long pid() {
        return process.pid();
    }

    /** SIGKILL; returns when the process is gone. */
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** Whether it runs. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends a signal, {@code STOP} for example. */
    public void signal(String name) {
        try {
            int exit = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).inheritIO().start().waitFor();
            if (exit != 0) {
                throw new IllegalStateException("kill -" + name + " ended with " + exit);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** SIGTERM; returns its exit code. */
    public int stop() {
        // Not by the process itself, which would close what it has still to say.
        process.toHandle().destroy();
        return awaitEnd();
    }

    @Override
    public void close() {
        kill();
    }

    private void awaitReady() throws IOException {
        readyLine = out.readLine();
        if (readyLine != null) {
            return;
        }
        throw new IllegalStateException("spillway run ended with " + awaitEnd() + ": " + Files.readString(log));
    }

    private int awaitEnd() {
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("process " + process.pid() + " does not end");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
