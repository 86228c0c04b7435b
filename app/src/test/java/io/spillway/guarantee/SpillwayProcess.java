package io.spillway.guarantee;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** {@code spillway run} in a separate JVM that can be killed. Not thread-safe. Owner of the child process. */
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
     * Starts the process and waits until it is ready.
     *
     * @param directory   data directory, which also receives the log
     * @param environment settings as {@code SPILLWAY_…} variables
     * @param arguments   arguments after {@code run}
     * @throws IllegalStateException with the log, when the process ends before it is ready
     */
    public static SpillwayProcess start(Path directory, Map<String, String> environment, String... arguments) {
        List<String> command = new ArrayList<>(ChildJvm.command());
        command.add("io.spillway.cli.Main");
        return start(command, directory, environment, arguments);
    }

    /**
     * As {@link #start(Path, Map, String...)}, with the launcher script.
     *
     * @param launcher copy of {@code ./spillway} next to the build output that it needs
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
            List<String> command = new ArrayList<>(interruptible());
            command.addAll(program);
            command.addAll(List.of("run", "--data", directory.toString()));
            command.addAll(List.of(arguments));
            ProcessBuilder builder = new ProcessBuilder(command);
            // Free ports by default, because several processes run at one time.
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

    /**
     * Returns what a command must begin with so that SIGINT ends it also when these tests run in the background of a
     * shell, which lets its children ignore the signal; nothing where the system cannot do that.
     */
    public static List<String> interruptible() {
        List<String> prefix = List.of("env", "--default-signal=INT");
        try {
            List<String> probe = Stream.concat(prefix.stream(), Stream.of("true")).toList();
            Process process = new ProcessBuilder(probe).redirectErrorStream(true).start();
            process.getInputStream().readAllBytes();
            return process.waitFor() == 0 ? prefix : List.of();
        } catch (IOException e) {
            return List.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    public String readyLine() {
        return readyLine;
    }

    /**
     * Returns an address of the ready line, such as {@code gateway} or {@code metrics}.
     *
     * @throws IllegalStateException if it has none of this name
     */
    public URI address(String name) {
        return Stream.of(readyLine.split(" ")).filter(word -> word.startsWith(name + "="))
                .map(word -> URI.create(word.substring(name.length() + 1))).findFirst()
                .orElseThrow(() -> new IllegalStateException("no " + name + " in " + readyLine));
    }

    /** Returns the output after the ready line; waits for the end of the process. */
    public List<String> furtherOutput() {
        return out.lines().toList();
    }

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

    /** Sends SIGKILL and waits for the end of the process. */
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends a signal, such as {@code STOP}. */
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

    /** Sends SIGTERM and returns the exit code. */
    public int stop() {
        // Through the handle, because Process.destroy would also close the output streams.
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

    /** Waits for the end of the process and returns its exit code. */
    public int awaitEnd() {
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
