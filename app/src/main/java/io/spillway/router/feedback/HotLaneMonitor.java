package io.spillway.router.feedback;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.core.overload.HotGuard;
import io.spillway.core.overload.PartitionBacklog;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.PeriodicTask;
import io.spillway.kafka.topics.StartDelays;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.CompactedView;
import io.spillway.kafka.view.LaneStates;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Input of the hot lane's overload protection: passes it the workers' reports and the lane's measured backlog ten times
 * a second. Logs when hot falls behind and when it has caught up, at most once a minute.
 *
 * <p>Owner of the view of the workers' reports and of its thread.
 */
public final class HotLaneMonitor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HotLaneMonitor.class);
    private static final int MAX_WORKERS = 10_000;

    private final HotGuard guard;
    private final Supplier<PartitionBacklog> backlog;
    private final IntSupplier routers;
    private final InstantSource clock;
    private final LaneStates states;
    private final CompactedView view;
    private final PeriodicTask task;
    private final BehindMessages messages = new BehindMessages();

    /**
     * Creates a monitor that {@link #start} starts.
     *
     * @param backlog supplies the latest measured backlog of hot
     * @param routers supplies the number of live routers, this one included
     */
    public HotLaneMonitor(
            KafkaClients clients, Topics topics, HotGuard guard, Supplier<PartitionBacklog> backlog,
            IntSupplier routers, InstantSource clock, MeterRegistry registry) {
        this.guard = guard;
        this.backlog = backlog;
        this.routers = routers;
        this.clock = clock;
        this.states = new LaneStates(clock);
        this.view = new CompactedView(clients, topics.laneState(), states, MAX_WORKERS, Optional.empty(), clock);
        this.task = new PeriodicTask("router-hot-watch", this::update, failure ->
                LOG.warn("The state of hot cannot be determined; trying again: {}", failure));
        Gauge.builder("spillway.lane.behind", guard, each -> each.isBehind(clock.millis()) ? 1 : 0)
                .description(
                        "1 while the lane is behind its target: tenants without a rate far above the others overflow")
                .tag("lane", "hot")
                .register(registry);
    }

    /** Starts, and returns when the workers' latest reports are read. */
    public void start(Duration timeout, StartDelays delays) {
        view.start(timeout);
        task.start(delays, HotGuard.UPDATE_MILLIS);
    }

    @Override
    public void close() {
        task.close();
        view.close();
    }

    private void update() {
        long nowMillis = clock.millis();
        guard.update(states.reports(), backlog.get(), routers.getAsInt(), nowMillis);
        messages.next(guard.isBehind(nowMillis), nowMillis).ifPresent(LOG::info);
    }
}
