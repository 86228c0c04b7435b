package io.spillway.kafka.periodic;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.spillway.core.overload.DiskRoom;
import io.spillway.kafka.topics.Disk;
import io.spillway.kafka.topics.KafkaClients;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watch of the disks that hold items: of the brokers, as far as they tell, and of this process. Measures them every ten
 * seconds, and every second while one has little room. A measurement that fails changes nothing. Internal.
 *
 * <p>Owner of the rooms and the number of runs: its thread. Bound: the disks of the cluster.
 */
public final class DiskWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DiskWatch.class);
    private static final long EVERY_MILLIS = 1_000;
    private static final int CALM_RUNS = 10;

    private final Supplier<List<Disk>> disks;
    private final Runnable close;
    private final StartDelays delays;
    private final MultiGauge free;
    private final MultiGauge total;
    private final List<Consumer<DiskRoom>> followers = new CopyOnWriteArrayList<>();
    private final PeriodicTask task;
    private Map<String, DiskRoom> rooms = Map.of();
    private int runs;
    private volatile DiskRoom room = DiskRoom.ENOUGH;

    /**
     * Creates a watch that begins with the first who follows.
     *
     * @param disks asks for the disks; may throw
     * @param close ends a question that is being asked
     */
    DiskWatch(Supplier<List<Disk>> disks, Runnable close, StartDelays delays, MeterRegistry registry) {
        this.disks = disks;
        this.close = close;
        this.delays = delays;
        this.free = gauge(registry, "free", "Free bytes of a disk that holds items");
        this.total = gauge(registry, "total", "Bytes of a disk that holds items");
        this.task = new PeriodicTask("disk-watch", this::run, message ->
                LOG.warn("The disks cannot be measured; it is tried again: {}", message));
    }

    /**
     * Creates a watch of the brokers' disks and of this process's, which begins with the first who follows.
     *
     * @param local directories of this process that hold items, by the names of their disks
     */
    public static DiskWatch of(
            KafkaClients clients, Map<String, Path> local, StartDelays delays, MeterRegistry registry) {
        // Opened by the first question, which a process that nobody follows does not ask.
        AtomicReference<Admin> admin = new AtomicReference<>();
        AtomicBoolean tell = new AtomicBoolean(true);
        return new DiskWatch(() -> {
            List<Disk> disks = new ArrayList<>();
            if (tell.get()) {
                List<Disk> brokers =
                        Disk.ofBrokers(admin.updateAndGet(open -> open == null ? clients.admin() : open));
                // A broker may log each question that it refuses.
                tell.set(!brokers.isEmpty());
                disks.addAll(brokers);
            }
            local.forEach((name, directory) -> disks.add(Disk.of(name, directory)));
            return disks;
        }, () -> Optional.ofNullable(admin.get()).ifPresent(open -> open.close(Duration.ZERO)), delays, registry);
    }

    private static MultiGauge gauge(MeterRegistry registry, String name, String description) {
        return MultiGauge.builder("spillway.disk." + name).description(description).baseUnit("bytes")
                .register(registry);
    }

    /** Calls back with the room of the disk that has least, now and at each change. */
    public synchronized void follow(Consumer<DiskRoom> follower) {
        if (followers.isEmpty()) {
            task.start(delays, EVERY_MILLIS);
        }
        followers.add(follower);
        follower.accept(room);
    }

    private void run() {
        if (room != DiskRoom.ENOUGH || runs++ % CALM_RUNS == 0) {
            measure();
        }
    }

    /** Measures once. Called by one thread at a time. */
    void measure() {
        List<Disk> all = disks.get();
        free.register(rows(all, Disk::freeBytes), true);
        total.register(rows(all, Disk::totalBytes), true);
        rooms = all.stream().collect(Collectors.toMap(Disk::name, this::room));
        DiskRoom least = rooms.values().stream().max(Comparator.naturalOrder()).orElse(DiskRoom.ENOUGH);
        if (least != room) {
            change(least);
            report(all);
        }
    }

    private synchronized void change(DiskRoom next) {
        room = next;
        followers.forEach(follower -> follower.accept(next));
    }

    private DiskRoom room(Disk disk) {
        return rooms.getOrDefault(disk.name(), DiskRoom.ENOUGH).next(disk.freeBytes(), disk.totalBytes());
    }

    private static Iterable<Row<?>> rows(List<Disk> disks, Function<Disk, Number> bytes) {
        return disks.stream().<Row<?>>map(disk -> Row.of(Tags.of("disk", disk.name()), bytes.apply(disk))).toList();
    }

    private void report(List<Disk> all) {
        String shortage = all.stream().filter(disk -> rooms.get(disk.name()) == room)
                .map(Disk::toString).collect(Collectors.joining("; "));
        switch (room) {
            case ENOUGH -> LOG.warn("All disks have room again: items are accepted and moved.");
            case LOW -> LOG.error("{}. Gateways accept no items until there is room. {}", shortage, Disk.REMEDY);
            case OUT -> LOG.error(
                    "{}. Gateways accept and routers move no items until there is room. {}", shortage, Disk.REMEDY);
        }
    }

    @Override
    public void close() {
        task.close();
        close.run();
    }
}
