package io.spillway.campaign;

import io.spillway.guarantee.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    private final Optional<Path> clockLibrary;
    private final Optional<Namespaces> network;
    private final List<Member> members = new ArrayList<>();
    private final Thread supervisor;
    private volatile boolean closed;
    /** What ended the supervisor before its time. Without it nothing starts again, and a campaign proves nothing. */
    private volatile Optional<RuntimeException> failure = Optional.empty();

    /**
     * What a process has been through.
     *
     * @param readyMillis how long each start took until it was ready; starts that ended before have none
     * @param exits       its exit statuses
     */
    record Life(
            String name, Fault.Target role, int starts, List<Integer> readyMillis, List<Integer> exits) {}

    /** One process with a place that survives it. */
    private static final class Member {
        final String name;
        final Fault.Target role;
        final String roles;
        final Map<String, String> environment;
        final Optional<FakeClock> clock;
        Process process;
        boolean isHeldDown;
        long endedNanos;
        long startedNanos;
        long logBytes;
        boolean isReady;
        int starts;
        final List<Integer> exits = new ArrayList<>();
        final List<Integer> readyMillis = new ArrayList<>();

        Member(
                String name, Fault.Target role, String roles, Map<String, String> environment,
                Optional<FakeClock> clock) {
            this.name = name;
            this.role = role;
            this.roles = roles;
            this.environment = environment;
            this.clock = clock;
        }
    }

    /**
     * @param configuration file that every process is given
     * @param clockLibrary  preloaded library that changes the clock of a process by a file; empty for none
     * @param network       has a member for each process; empty for loopback
     */
    Processes(Path directory, Path configuration, Optional<Path> clockLibrary, Optional<Namespaces> network) {
        this.network = network;
        this.directory = directory;
        this.configuration = configuration;
        this.clockLibrary = clockLibrary;
        this.supervisor = Thread.ofPlatform().name("supervisor").unstarted(this::supervise);
    }

    /**
     * Adds a process and starts it. To be called before {@link #supervised}.
     *
     * @param role  of which faults meet it
     * @param roles that it has
     */
    synchronized void add(Fault.Target role, String name, String roles, Map<String, String> environment) {
        Optional<FakeClock> clock = clockLibrary.filter(library -> name.endsWith("-1"))
                .map(library -> new FakeClock(library, directory.resolve(name + ".clock")));
        Member member = new Member(name, role, roles, new HashMap<>(environment), clock);
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
            List<String> command = new ArrayList<>(network.map(all -> all.command(member.name)).orElse(List.of()));
            command.addAll(ChildJvm.command());
            command.addAll(List.of("-Xmx256m", "-D" + CampaignHandler.CALLS + "=" + directory.resolve("calls"),
                    "io.spillway.cli.Main", "run", "--data", home.toString(), "--config",
                    configuration.toString(), "--roles", member.roles));
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.environment().putAll(member.environment);
            member.clock.ifPresent(clock -> {
                clock.set(Duration.ZERO);
                builder.environment().putAll(clock.environment());
            });
            Path log = home.resolve("log");
            member.logBytes = Files.exists(log) ? Files.size(log) : 0;
            member.isReady = false;
            member.startedNanos = System.nanoTime();
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

    private String logSinceStart(Member member) {
        try (FileChannel log = FileChannel.open(home(member).resolve("log"))) {
            ByteBuffer bytes = ByteBuffer.allocate((int) (log.size() - member.logBytes));
            log.read(bytes, member.logBytes);
            return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void supervise() {
        try {
            while (!closed) {
                synchronized (this) {
                    for (Member member : members) {
                        look(member);
                    }
                }
                LockSupport.parkNanos(LOOK_NANOS);
            }
        } catch (RuntimeException e) {
            failure = Optional.of(e);
        }
    }

    private void requireSupervised() {
        failure.ifPresent(cause -> {
            throw new IllegalStateException("The supervisor has ended", cause);
        });
    }

    private void look(Member member) {
        if (closed) {
            return;
        }
        if (member.process.isAlive()) {
            if (!member.isReady && logSinceStart(member).contains("spillway ready")) {
                member.isReady = true;
                member.readyMillis.add((int) ((System.nanoTime() - member.startedNanos) / 1_000_000));
            }
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

    /** Sends a signal to one of all members, 0 to {@link #count} - 1. */
    synchronized void signal(int index, String name) {
        Signals.send(members.get(index).process, name);
    }

    synchronized int count() {
        return members.size();
    }

    synchronized List<String> names() {
        return members.stream().map(member -> member.name).toList();
    }

    /** Lets every write of a member to a file fail, or succeed again. Ends with the process. */
    synchronized void fullDisk(Fault.Target role, int index, boolean isFull) {
        Signals.fullDisk(member(role, index).process, isFull);
    }

    /** Returns the clocks that can be made wrong: of one of each pair, so that clocks differ. */
    synchronized List<FakeClock> clocks() {
        return members.stream().flatMap(member -> member.clock.stream()).toList();
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
            Signals.fullDisk(member.process, false);
        });
    }

    /** Deletes the state of a router that has been killed, or cuts its largest file into half. */
    synchronized void damage(int index, boolean deletes) {
        Member member = member(Fault.Target.ROUTER, index);
        try {
            // Not onExit: it may watch the number of the process after its end, and a thread of another can have it.
            member.process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        try (Stream<Path> files = Files.walk(home(member))) {
            List<Path> state = files.filter(file -> !file.endsWith("log") && Files.isRegularFile(file)).toList();
            if (deletes) {
                for (Path file : state) {
                    Files.deleteIfExists(file);
                }
            } else {
                // None if the state was lost a moment ago.
                Optional<Path> largest = state.stream().max(Comparator.comparingLong(file -> file.toFile().length()));
                if (largest.isPresent()) {
                    byte[] content = Files.readAllBytes(largest.get());
                    Files.write(largest.get(), Arrays.copyOf(content, content.length / 2));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Member member(Fault.Target role, int index) {
        requireSupervised();
        List<Member> ofRole = members.stream().filter(member -> member.role == role).toList();
        return ofRole.get(index % ofRole.size());
    }

    /** Returns what each process has been through. */
    synchronized List<Life> report() {
        requireSupervised();
        return members.stream().map(member -> new Life(member.name, member.role, member.starts,
                List.copyOf(member.readyMillis), List.copyOf(member.exits))).toList();
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
