package io.spillway.campaign;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Processes that are restarted with another version one at a time: the next one when the one before is ready. Nothing
 * restarts a process that ends by itself. Owner of the processes; used by one thread.
 */
final class RollingProcesses implements AutoCloseable {
    private static final long LOOK_NANOS = 100_000_000;
    /** A stopped JVM ends with 128 + 15, or with 0 if it ended by itself at the signal. */
    private static final Set<Integer> STOPPED = Set.of(0, 143);

    private final Path directory;
    private final Path configuration;
    private final Map<String, String> environment;
    private final Duration patience;
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<Member> members = new ArrayList<>();
    private final List<String> breaches = new ArrayList<>();

    private static final class Member {
        final String name;
        final Fault.Target role;
        final int port;
        Process process;

        Member(String name, Fault.Target role, int port) {
            this.name = name;
            this.role = role;
            this.port = port;
        }
    }

    /**
     * Restart of a process.
     *
     * @param stopMillis  from the signal to the end of the process
     * @param startMillis from the start of the new process until it was ready
     */
    record Restart(long stopMillis, long startMillis) {}

    /**
     * @param configuration file that every process is given
     * @param patience      for a process to end and to become ready
     */
    RollingProcesses(
            Path directory, Path configuration, Map<String, String> environment, Duration patience) {
        this.directory = directory;
        this.configuration = configuration;
        this.environment = Map.copyOf(environment);
        this.patience = patience;
    }

    /** Starts a new process, and waits until it is ready. */
    void start(Fault.Target role, String name, Version version) {
        Member member = new Member(name, role, Brokers.freePort());
        members.add(member);
        launch(member, version);
    }

    /** Returns the names of the processes of a role. */
    List<String> names(Fault.Target role) {
        return members.stream().filter(member -> member.role == role).map(member -> member.name).toList();
    }

    /** Stops a process by a signal, starts it with a version, and waits until it is ready. */
    Restart replace(String name, Version version, String signal) {
        breaches.addAll(ended());
        Member member = members.stream().filter(each -> each.name.equals(name)).findFirst().orElseThrow();
        long startNanos = System.nanoTime();
        Signals.send(member.process, signal);
        await(startNanos, member, () -> !member.process.isAlive(), "does not end");
        int exit = member.process.exitValue();
        if (!STOPPED.contains(exit) && !"KILL".equals(signal)) {
            breaches.add(member.name + " was stopped and ended with " + exit);
        }
        long stopMillis = (System.nanoTime() - startNanos) / 1_000_000;
        return new Restart(stopMillis, launch(member, version));
    }

    /** Starts a process until it is ready: as a container platform does, again if it ends before. */
    private long launch(Member member, Version version) {
        long startNanos = System.nanoTime();
        startProcess(member, version);
        await(startNanos, member, () -> isReady(member) || !member.process.isAlive(), "is not ready");
        while (!member.process.isAlive()) {
            breaches.add(member.name + " ended while it started, with " + member.process.exitValue() + ": "
                    + lastLines(member));
            startProcess(member, version);
            await(startNanos, member, () -> isReady(member) || !member.process.isAlive(), "is not ready");
        }
        return (System.nanoTime() - startNanos) / 1_000_000;
    }

    private void startProcess(Member member, Version version) {
        Path home = directory.resolve(member.name);
        try {
            Files.createDirectories(home);
            List<String> command = new ArrayList<>(version.java());
            command.addAll(1, List.of("-Xmx256m", "-D" + CampaignHandler.CALLS + "=" + directory.resolve("calls")));
            command.addAll(List.of("io.spillway.cli.Main", "run", "--data", home.toString(), "--config",
                    configuration.toString(), "--roles", member.role.name().toLowerCase(Locale.ROOT)));
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(home.resolve("log").toFile()));
            Map<String, String> of = new HashMap<>(environment);
            of.put("SPILLWAY_METRICS_PORT", Integer.toString(member.port));
            builder.environment().putAll(of);
            member.process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void await(long startNanos, Member member, BooleanSupplier condition, String otherwise) {
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - startNanos > patience.toNanos()) {
                throw new IllegalStateException(member.name + " " + otherwise + "; see its log: " + lastLines(member));
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private String lastLines(Member member) {
        try {
            List<String> lines = Files.readAllLines(directory.resolve(member.name).resolve("log"));
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 5), lines.size()));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private boolean isReady(Member member) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + member.port + "/readyz"))
                .timeout(Duration.ofSeconds(5)).build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private List<String> ended() {
        return members.stream().filter(member -> !member.process.isAlive())
                .map(member -> member.name + " ended by itself with " + member.process.exitValue()).toList();
    }

    /** Returns a line for each process that ended by itself, or in another way than it should. */
    List<String> breaches() {
        List<String> all = new ArrayList<>(breaches);
        all.addAll(ended());
        return all;
    }

    @Override
    public void close() {
        members.forEach(member -> member.process.destroyForcibly());
        try {
            for (Member member : members) {
                member.process.waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        http.shutdownNow();
    }
}
