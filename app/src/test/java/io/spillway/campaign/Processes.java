package io.spillway.campaign;

import io.spillway.guarantee.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Processes of the roles, and a supervisor that starts again what has ended, as a container platform does. Owner of the
 * processes and of the thread of the supervisor. Thread-safe.
 */
final class Processes implements AutoCloseable {
    private static final long LOOK_NANOS = 200_000_000;
    private static final long RESTART_AFTER_NANOS = 1_000_000_000;

    private final Path directory;
    private final Path configuration;
    private final List<Member> members = new ArrayList<>();
    private final Thread supervisor;
    private volatile boolean closed;

    /** One process with a place that survives it. */
    private static final class Member {
        final String name;
        final Fault.Target role;
        final Map<String, String> environment;
        Process process;
        boolean isHeldDown;
        long endedNanos;
        int starts;
        final List<Integer> exits = new ArrayList<>();

        Member(String name, Fault.Target role, Map<String, String> environment) {
            this.name = name;
            this.role = role;
            this.environment = environment;
        }
    }

    /** @param configuration file that every process is given */
    Processes(Path directory, Path configuration) {
        this.directory = directory;
        this.configuration = configuration;
        this.supervisor = Thread.ofPlatform().name("supervisor").unstarted(this::supervise);
    }

    /** Adds a process and starts it. To be called before {@link #supervised}. */
    synchronized void add(Fault.Target role, String name, Map<String, String> environment) {
        Member member = new Member(name, role, new HashMap<>(environment));
        members.add(member);
        launch(member);
    }

    /** Starts the supervisor. */
    Processes supervised() {
        supervisor.start();
        return this;
    }

    private void launch(Member member) {
        try {
            Path home = Files.createDirectories(home(member));
            List<String> command = new ArrayList<>(ChildJvm.command());
            command.addAll(1, List.of("-Xmx256m", "-D" + CampaignHandler.CALLS + "=" + directory.resolve("calls")));
            command.addAll(List.of("io.spillway.cli.Main", "run", "--data", home.toString(), "--config",
                    configuration.toString(), "--roles", member.role.name().toLowerCase(Locale.ROOT)));
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.environment().putAll(member.environment);
            Path log = home.resolve("log");
            builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
            member.process = builder.start();
            member.starts++;
            member.endedNanos = 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path home(Member member) {
        return directory.resolve(member.name);
    }

    private void supervise() {
        while (!closed) {
            synchronized (this) {
                for (Member member : members) {
                    look(member);
                }
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private void look(Member member) {
        if (closed || member.process.isAlive()) {
            return;
        }
        if (member.endedNanos == 0) {
            member.endedNanos = System.nanoTime();
            member.exits.add(member.process.exitValue());
        }
        if (!member.isHeldDown && System.nanoTime() - member.endedNanos >= RESTART_AFTER_NANOS) {
            launch(member);
        }
    }

    /** Sends a signal to a member of a role; which one follows from the index. */
    synchronized void signal(Fault.Target role, int index, String name) {
        Signals.send(member(role, index).process, name);
    }

    /** Ends a member, and keeps the supervisor from starting it again until {@link #release}. */
    synchronized void end(Fault.Target role, int index, String signal) {
        Member member = member(role, index);
        member.isHeldDown = true;
        Signals.send(member.process, signal);
    }

    /** Lets the supervisor start a member again. */
    synchronized void release(Fault.Target role, int index) {
        member(role, index).isHeldDown = false;
    }

    /** Wakes and releases every process. */
    synchronized void heal() {
        members.forEach(member -> {
            member.isHeldDown = false;
            Signals.send(member.process, "CONT");
        });
    }

    /** Deletes the state of a router that has been killed, or cuts its largest file into half. */
    synchronized void damage(int index, boolean deletes) throws InterruptedException {
        Member member = member(Fault.Target.ROUTER, index);
        member.process.waitFor();
        try (Stream<Path> files = Files.walk(home(member))) {
            List<Path> state = files.filter(file -> !file.endsWith("log") && Files.isRegularFile(file)).toList();
            if (deletes) {
                for (Path file : state) {
                    Files.deleteIfExists(file);
                }
            } else {
                Path largest =
                        state.stream().max(Comparator.comparingLong(file -> file.toFile().length())).orElseThrow();
                byte[] content = Files.readAllBytes(largest);
                Files.write(largest, Arrays.copyOf(content, content.length / 2));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Member member(Fault.Target role, int index) {
        List<Member> ofRole = members.stream().filter(member -> member.role == role).toList();
        return ofRole.get(index % ofRole.size());
    }

    /** Returns a line for each process: starts, and how it ended before. */
    synchronized List<String> report() {
        return members.stream().map(member -> member.name + ": " + member.starts + " starts, ended with "
                + member.exits).toList();
    }

    @Override
    public void close() {
        closed = true;
        try {
            supervisor.join();
            synchronized (this) {
                members.forEach(member -> {
                    Signals.send(member.process, "CONT");
                    member.process.destroyForcibly();
                });
                for (Member member : members) {
                    member.process.waitFor();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
