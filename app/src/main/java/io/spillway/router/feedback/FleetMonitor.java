package io.spillway.router.feedback;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.core.item.Lane;
import io.spillway.core.overload.Fleet;
import io.spillway.core.overload.LaneBacklogs;
import io.spillway.core.overload.WorkerReport;
import io.spillway.kafka.periodic.PeriodicTask;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.CompactedView;
import io.spillway.kafka.view.LaneStates;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Input of the router's view of the workers: passes it their reports and the measured backlogs ten times a second.
 * Logs when hot falls behind and when it has caught up, at most once a minute.
 *
 * <p>Owner of the view of the workers' reports and of its thread.
 */
public final class FleetMonitor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FleetMonitor.class);

    private final Fleet fleet;
    private final Supplier<LaneBacklogs> backlogs;
    private final IntSupplier routers;
    private final InstantSource clock;
    private final LaneStates states;
    private final CompactedView view;
    private final PeriodicTask task;
    private final BehindMessages messages = new BehindMessages();

    /**
     * Creates a monitor that {@link #start} starts.
     *
     * @param backlogs supplies the latest measured backlogs
     * @param routers supplies the number of live routers, this one included
     */
    public FleetMonitor(
            KafkaClients clients, Topics topics, Fleet fleet, Supplier<LaneBacklogs> backlogs,
            IntSupplier routers, InstantSource clock, MeterRegistry registry) {
        this.fleet = fleet;
        this.backlogs = backlogs;
        this.routers = routers;
        this.clock = clock;
        this.states = new LaneStates(clock);
        this.view = new CompactedView(
                clients, topics.laneState(), states, LaneStates.MAX_WORKERS, Optional.empty(), clock);
        this.task = new PeriodicTask("router-fleet", this::update, failure ->
                LOG.warn("The load of the workers cannot be determined; trying again: {}", failure));
        Gauge.builder("spillway.lane.behind", fleet, measured -> measured.behind(clock.millis()))
                .description("Workers at which the lane is behind its target: what is more than a fair share overflows")
                .tag("lane", "hot")
                .register(registry);
        Gauge.builder("spillway.full.workers", fleet, Fleet::fullWorkers)
                .description("Workers whose slots are all taken by attempts of which none ends: items go to others")
                .register(registry);
        for (Lane lane : List.of(Lane.HOT, Lane.OVERFLOW)) {
            Gauge.builder("spillway.lane.stuck_partitions", fleet, measured -> measured.stuckPartitions(lane))
                    .description("Partitions with waiting items and none finished for shards.stuckAfter")
                    .tag("lane", lane.label())
                    .register(registry);
        }
    }

    /** Returns the latest reports of the live workers, by name. */
    public Map<String, WorkerReport> reports() {
        return states.reports();
    }

    /** Starts, and returns when the workers' latest reports are read. */
    public void start(Duration timeout, StartDelays delays) {
        view.start(timeout);
        task.start(delays, Fleet.UPDATE_MILLIS);
    }

    @Override
    public void close() {
        task.close();
        view.close();
    }

    private void update() {
        long nowMillis = clock.millis();
        fleet.update(states.reports(), backlogs.get(), routers.getAsInt(), nowMillis);
        messages.next(fleet.isBehind(nowMillis), nowMillis).ifPresent(LOG::info);
    }
}
