package io.spillway.sim;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.LaneReport;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.SimulatedCluster;
import io.spillway.sim.scenario.SimulatedTime;
import java.util.ArrayList;
import java.util.List;

/**
 * Router, lanes and workers, with transactions on one beat: what is decided within an interval can be read at its end.
 *
 * <p>Owner: the run. Bound: the items that wait.
 */
final class SpillwayModel implements Model, SimEnvironment {
    /** Hot, overflow and aged: the first of {@link Lane}. */
    private static final int WORKED_LANES = Lane.AGED.ordinal() + 1;
    private static final long NEVER = Long.MAX_VALUE;
    private static final int HOUSEKEEPING_SECONDS = 10;
    /** Workers tell of hot every so often, and the router looks at it: while items come. */
    private static final long LOOK_NANOS = 250 * SimulatedTime.NANOS_PER_MILLI;

    private final Population population;
    private final Events events;
    private final Tally tally;
    private final Destination destination;
    private final SimulatedCluster plant;
    private final SimulatedPartition[][] lanes;
    private final SimRouter router;
    private final SimWorker[] workers;
    private final long beatNanos;
    private long nextBeatNanos = NEVER;
    private boolean willLook;
    private int deaths;

    SpillwayModel(Population population, Scenario scenario, Events events, Tally tally, Destination destination) {
        this.population = population;
        this.events = events;
        this.tally = tally;
        this.destination = destination;
        this.plant = scenario.plant();
        this.beatNanos = plant.commitMillis() * SimulatedTime.NANOS_PER_MILLI;
        this.lanes = new SimulatedPartition[WORKED_LANES][plant.partitions()];
        for (int lane = 0; lane < WORKED_LANES; lane++) {
            for (int i = 0; i < plant.partitions(); i++) {
                lanes[lane][i] = new SimulatedPartition(Lane.values()[lane], i);
            }
        }
        this.router = new SimRouter(population, tally, plant, lanes);
        this.workers = new SimWorker[plant.workers()];
        for (int worker = 0; worker < workers.length; worker++) {
            List<SimulatedPartition> own = new ArrayList<>();
            for (SimulatedPartition[] lane : lanes) {
                for (int i = 0; i < lane.length; i++) {
                    // As the range assignor does: neighbours, and the same of every lane.
                    if ((int) ((long) i * workers.length / lane.length) == worker) {
                        own.add(lane[i]);
                    }
                }
            }
            workers[worker] = worker(own, 0);
        }
        events.at(0, now -> second(now, 0));
    }

    @Override
    public void arrive(SimulatedItem item, long nowNanos) {
        router.arrive(item, nowNanos);
        wantBeat(nowNanos);
        if (!willLook && plant.protection().isOn()) {
            willLook = true;
            events.at((nowNanos / LOOK_NANOS + 1) * LOOK_NANOS, this::look);
        }
    }

    @Override
    public int inFlight() {
        int sum = 0;
        for (SimWorker worker : workers) {
            sum += worker.isAlive() ? worker.inFlight() : 0;
        }
        return sum;
    }

    @Override
    public int deaths() {
        return deaths;
    }

    private SimWorker worker(List<SimulatedPartition> own, long nowNanos) {
        return new SimWorker(population, events, tally, destination, plant, own, this, nowNanos);
    }

    private void look(long nowNanos) {
        willLook = false;
        List<LaneReport> reports = new ArrayList<>();
        for (SimWorker worker : workers) {
            if (worker.isAlive()) {
                reports.add(worker.report(nowNanos));
            }
        }
        router.look(reports, nowNanos);
    }

    @Override
    public void published(Move move) {
        SimulatedItem item = move.item();
        item.attempts = move.attempts();
        item.moves = move.moves();
        switch (move.to()) {
            case DEAD_LETTER -> tally.dead(item);
            case DELAY -> {
                tally.moved(item, Lane.DELAY);
                router.delay(item, move.dueMillis());
            }
            case HOT, OVERFLOW, AGED -> {
                tally.moved(item, move.to());
                lanes[move.to().ordinal()][item.home.index].append(item);
            }
        }
    }

    /** One beat: the router commits, what is due is routed, and the workers commit and read. */
    private void beat(long nowNanos) {
        if (nowNanos != nextBeatNanos) {
            return;
        }
        nextBeatNanos = NEVER;
        router.commit();
        router.ring(nowNanos);
        boolean isBusy = router.hasOpen();
        for (SimWorker worker : workers) {
            if (worker.isAlive()) {
                worker.commit(nowNanos);
                worker.poll(nowNanos);
                isBusy |= worker.isBusy();
            }
        }
        if (isBusy) {
            wantBeat(nowNanos);
        } else if (router.nextDueMillis() != NEVER) {
            wantBeat(Math.max(nowNanos, SimulatedTime.nanosOf(router.nextDueMillis())));
        }
    }

    @Override
    public void wantBeat(long afterNanos) {
        long beat = (afterNanos / beatNanos + 1) * beatNanos;
        if (beat < nextBeatNanos) {
            nextBeatNanos = beat;
            events.at(beat, this::beat);
        }
    }

    /** What router and worker look at once a second. */
    private void second(long nowNanos, int number) {
        router.readWork(nowNanos);
        long live = 0;
        for (int lane = 0; lane < Lane.AGED.ordinal(); lane++) {
            for (SimulatedPartition each : lanes[lane]) {
                live += each.waiting();
            }
        }
        for (SimWorker worker : workers) {
            worker.caughtUp(live <= 4L * plant.dispatch().slots());
            if (number % HOUSEKEEPING_SECONDS == 0) {
                worker.prune(nowNanos);
            }
        }
        if (number % HOUSEKEEPING_SECONDS == 0) {
            router.prune(nowNanos);
        }
        events.at(nowNanos + SimulatedTime.NANOS_PER_SECOND, now -> second(now, number + 1));
    }

    @Override
    public void died(SimWorker worker, long nowNanos) {
        deaths++;
        events.at(nowNanos + plant.restartMillis() * SimulatedTime.NANOS_PER_MILLI, now -> {
            for (int i = 0; i < workers.length; i++) {
                if (workers[i] == worker) {
                    workers[i] = worker(worker.partitions(), now);
                    wantBeat(now);
                }
            }
        });
    }
}
