package io.spillway.router;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.config.SourceSettings;
import io.spillway.core.overload.DiskRoom;
import io.spillway.core.text.Printable;
import io.spillway.kafka.periodic.PeriodicTask;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.topics.InitialOffsets;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.SourceTopic;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One source in this process: a Kafka Streams client of its own, so that sources can be added to a running queue, and a
 * topic that is gone stops nothing else. While it cannot run, it says why and tries again.
 *
 * <p>Thread-safe. Owner of the client: its task, until it is closed.
 */
final class SourceRouter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SourceRouter.class);
    private static final long PERIOD_MILLIS = 10_000;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    private final String name;
    private final SourceSettings source;
    private final String group;
    private final SourceTopic topic;
    private final QueueAdmin queueAdmin;
    private final InitialOffsets offsets;
    private final Supplier<KafkaStreams> clients;
    private final PeriodicTask task;
    private volatile Optional<KafkaStreams> streams = Optional.empty();
    private volatile DiskRoom room = DiskRoom.ENOUGH;
    /** Whether it waits for the time at which it starts. */
    private volatile boolean isEarly;
    private boolean isClosed;
    private volatile long lag;

    /**
     * Creates a source that {@link #start} starts.
     *
     * @param group   its application id
     * @param clients creates its Kafka Streams client
     */
    SourceRouter(
            String name, SourceSettings source, String group, SourceTopic topic, QueueAdmin queueAdmin,
            InitialOffsets offsets, Supplier<KafkaStreams> clients, MeterRegistry registry) {
        this.name = name;
        this.source = source;
        this.group = group;
        this.topic = topic;
        this.queueAdmin = queueAdmin;
        this.offsets = offsets;
        this.clients = clients;
        this.task = new PeriodicTask("source-" + name, this::run, failure ->
                LOG.error("Source {} does not run; trying again every {} s: {}", name, PERIOD_MILLIS / 1000, failure));
        Gauge.builder("spillway.source.running", this, self -> self.isRunning() || self.isEarly ? 1 : 0)
                .description("1 if this process reads the source or waits for its start, 0 while it cannot")
                .tag("source", name).register(registry);
        Gauge.builder("spillway.source.lag", this, self -> self.lag)
                .description("Offsets of a source's topic that are not routed yet").tag("source", name)
                .register(registry);
    }

    void start(StartDelays delays) {
        task.start(delays, PERIOD_MILLIS);
    }

    /** Accepts nothing while a disk has little room. */
    void follow(DiskRoom now) {
        room = now;
        streams.ifPresent(this::follow);
    }

    private void follow(KafkaStreams client) {
        if (room != DiskRoom.ENOUGH) {
            client.pause();
        } else {
            client.resume();
        }
    }

    private boolean isRunning() {
        return streams.filter(client -> client.state().isRunningOrRebalancing()).isPresent();
    }

    private synchronized void run() {
        if (isClosed) {
            return;
        }
        if (!isRunning()) {
            closeClient();
            boolean wasEarly = isEarly;
            isEarly = false;
            topic.problems().forEach(problem -> {
                throw new KafkaFailure(problem);
            });
            isEarly = !offsets.commitForSource(
                    group, source.topic(), first(), source.startMillis().orElse(Long.MIN_VALUE));
            if (isEarly) {
                if (!wasEarly) {
                    LOG.info("Source {} waits until {}, its start", name, source.start());
                }
                return;
            }
            KafkaStreams client = clients.get();
            streams = Optional.of(client);
            follow(client);
            client.setUncaughtExceptionHandler(fault -> {
                LOG.error("Source {} stops before a record, and tries again: {}", name,
                        Printable.of(fault.toString()), fault.getCause());
                return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
            });
            client.start();
        }
        // The room may have changed while the client was created.
        streams.ifPresent(this::follow);
        lag = queueAdmin.behind(source.topic(), group);
    }

    private OffsetSpec first() {
        return source.startMillis().isPresent() ? OffsetSpec.forTimestamp(source.startMillis().getAsLong())
                : source.start().equals(SourceSettings.LATEST) ? OffsetSpec.latest() : OffsetSpec.earliest();
    }

    private void closeClient() {
        streams.ifPresent(client -> client.close(CloseOptions.timeout(CLOSE_TIMEOUT)
                .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP)));
        streams = Optional.empty();
    }

    /** Commits pending work and leaves its group. Waits at most 12 s. */
    @Override
    public void close() {
        task.close();
        synchronized (this) {
            isClosed = true;
            closeClient();
        }
    }
}
