package io.spillway.sim;

import io.spillway.core.engine.Step;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.overload.Fleet;
import io.spillway.core.overload.WorkerReport;
import io.spillway.core.progress.SuspectStatus;
import io.spillway.core.retry.NextStep;
import io.spillway.core.routing.Route;
import io.spillway.core.scheduling.MaxMinSlots;
import io.spillway.core.sharding.SlotAssignment;
import io.spillway.sim.scenario.SimulatedCluster;
import io.spillway.sim.scenario.SimulatedTime;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Model of the product: router, lanes and workers. Transactions commit at common ticks, and readers see the decisions
 * of an interval at its end.
 *
 * <p>Owner: the run. Bound: the items that wait.
 */
final class SpillwayModel implements Model {
    private static final long NEVER = Long.MAX_VALUE;
    private static final int HOUSEKEEPING_SECONDS = 10;
    private static final int TURN_SECONDS = 5;
    /** Time after which the partitions of a dead worker go to others: the session timeout of the live workers. */
    private static final long SESSION_NANOS = 10 * SimulatedTime.NANOS_PER_SECOND;
    private static final long UPDATE_NANOS = Fleet.UPDATE_MILLIS * SimulatedTime.NANOS_PER_MILLI;
    /** Interval of the workers' reports while items arrive. */
    private static final long REPORT_NANOS = 250 * SimulatedTime.NANOS_PER_MILLI;

    final SimulatedCluster cluster;
    final TimedQueue<LongConsumer> events;
    final Tally tally;
    final Destination destination;
    private final SimulatedPartition[][] lanes;
    private final SimRouter router;
    private final SimWorker[] workers;
    /** Latest statuses of the workers by name. */
    private final Map<String, Map<String, MaxMinSlots.Demand>> demands = new HashMap<>();
    private final long tickNanos;
    private long nextTickNanos = NEVER;
    private Map<String, WorkerReport> reports = Map.of();
    private long reportedNanos = -REPORT_NANOS;
    private boolean reportDue;
    private boolean countsDue;
    /** Latest statuses of the suspects of the workers by name, dead ones included. */
    private final Map<String, SuspectStatus.Received> suspects = new HashMap<>();
    private boolean suspectsDue;

    SpillwayModel(
            SimulatedCluster cluster, TimedQueue<LongConsumer> events, Tally tally, Destination destination) {
        this.cluster = cluster;
        this.events = events;
        this.tally = tally;
        this.destination = destination;
        this.tickNanos = cluster.commitMillis() * SimulatedTime.NANOS_PER_MILLI;
        this.lanes = new SimulatedPartition[Lane.WORKED.size()][cluster.partitions()];
        for (int lane = 0; lane < Lane.WORKED.size(); lane++) {
            for (int i = 0; i < cluster.partitions(); i++) {
                lanes[lane][i] = new SimulatedPartition(Lane.values()[lane], i);
            }
        }
        this.router = new SimRouter(tally, cluster, lanes);
        this.workers = new SimWorker[cluster.workers().size()];
        for (int i = 0; i < workers.length; i++) {
            suspects.put(name(i), new SuspectStatus.Received(SuspectStatus.NONE, 0));
            workers[i] = new SimWorker(this, name(i), cluster.workers().get(i), List.of(), 0);
        }
        assign(0);
        events.add(0, now -> second(now, 0));
    }

    /**
     * Gives each partition to the worker that is to own it. Live workers hand partitions back first. A dead worker
     * keeps its partitions for the session timeout, and gets them when it restarts before.
     */
    void assign(long nowNanos) {
        List<SlotAssignment.Worker> members = IntStream.range(0, workers.length)
                .filter(i -> workers[i].isAlive() || nowNanos < workers[i].diedNanos() + SESSION_NANOS)
                .mapToObj(i -> new SlotAssignment.Worker(name(i), cluster.workers().get(i).dispatch().slots()))
                .toList();
        if (members.isEmpty()) {
            return;
        }
        String[] owners = new String[cluster.partitions()];
        for (SimWorker worker : workers) {
            worker.partitions.forEach(partition -> owners[partition.index] = worker.name);
        }
        String[] next = SlotAssignment.assign(members, owners);
        for (SimWorker worker : workers) {
            Predicate<SimulatedPartition> moves = partition -> !worker.name.equals(next[partition.index]);
            if (worker.isAlive()) {
                worker.handBack(moves, nowNanos);
            } else {
                worker.partitions.removeIf(moves);
            }
        }
        Set<SimulatedPartition> owned = Arrays.stream(workers).flatMap(worker -> worker.partitions.stream())
                .collect(Collectors.toSet());
        for (SimWorker worker : workers) {
            worker.take(Arrays.stream(lanes).flatMap(Arrays::stream)
                    .filter(partition -> worker.name.equals(next[partition.index]) && !owned.contains(partition))
                    .toList());
        }
        requestTick(nowNanos);
    }

    @Override
    public void arrive(SimulatedItem item, long nowNanos) {
        router.arrive(item, nowNanos);
        requestTick(nowNanos);
        if (!reportDue) {
            reportDue = true;
            events.add((nowNanos / UPDATE_NANOS + 1) * UPDATE_NANOS, this::update);
        }
    }

    @Override
    public int inFlight() {
        return Arrays.stream(workers).filter(SimWorker::isAlive).mapToInt(SimWorker::inFlight).sum();
    }

    private static String name(int worker) {
        return "worker-" + worker;
    }

    /** Updates what the router knows of the workers, which report four times a second. */
    private void update(long nowNanos) {
        reportDue = false;
        if (nowNanos >= reportedNanos + REPORT_NANOS) {
            reportedNanos = nowNanos;
            reports = new LinkedHashMap<>();
            for (int i = 0; i < workers.length; i++) {
                if (workers[i].isAlive()) {
                    reports.put(name(i), workers[i].report(nowNanos));
                }
            }
        }
        router.update(reports, nowNanos);
    }

    /** Requests a report of ended attempts to the router. */
    void requestCounts(long nowNanos) {
        if (!countsDue) {
            countsDue = true;
            events.add((nowNanos / REPORT_NANOS + 1) * REPORT_NANOS, now -> {
                countsDue = false;
                for (SimWorker worker : workers) {
                    router.counted(worker.isAlive() ? worker.takeCounts() : List.of(), now);
                }
            });
        }
    }

    /** Publishes the move of an item after the commit of its worker. */
    void published(Step<SimulatedItem, SimulatedAttempt> move, long nowNanos) {
        switch (move) {
            case Step.DeadLetter(SimulatedItem item, var attempt, Route.DeadLetter why, int attempts) -> {
                item.attempts = attempts;
                tally.dead(item, why);
            }
            // A retry resets the moves: they are limited between two attempts.
            case Step.Retry(SimulatedAttempt attempt, NextStep.Delay next) -> {
                SimulatedItem item = attempt.item;
                item.attempts = next.attempts();
                item.blameThousandths = next.blameThousandths();
                item.waitMillis = next.waitMillis();
                delay(item, true, 0, next.dueMillis(), nowNanos);
            }
            case Step.Move(SimulatedItem item, Lane to, LaneReason reason, int moves, long dueMillis)
                    when reason == LaneReason.LOST -> lost(item, dueMillis, nowNanos);
            case Step.Move(SimulatedItem item, Lane to, LaneReason reason, int moves, long dueMillis)
                    when to == Lane.DELAY -> delay(item, false, moves, dueMillis, nowNanos);
            case Step.Move(SimulatedItem item, Lane to, LaneReason reason, int moves, long dueMillis) -> {
                item.moves = moves;
                item.retries = false;
                tally.moved(item, to);
                router.place(item, new Route.ToLane(to, LaneReason.EXCESS), nowNanos).append(item);
            }
            default -> throw new IllegalStateException(move + ": not a move");
        }
    }

    /** Delays an item whose worker is lost, until a lease that it may have has ended. */
    private void lost(SimulatedItem item, long dueMillis, long nowNanos) {
        item.losses++;
        delay(item, false, item.moves, dueMillis, nowNanos);
    }

    private void delay(SimulatedItem item, boolean retries, int moves, long dueMillis, long nowNanos) {
        item.retries = retries;
        item.moves = moves;
        tally.moved(item, Lane.DELAY);
        router.delay(item, dueMillis, nowNanos);
    }

    /** Commits the router, routes due items, and commits and polls each worker. */
    private void tick(long nowNanos) {
        if (nowNanos != nextTickNanos) {
            return;
        }
        nextTickNanos = NEVER;
        router.commit();
        router.fireTimers(nowNanos);
        boolean isBusy = router.hasOpen();
        for (SimWorker worker : workers) {
            if (worker.isAlive()) {
                worker.commit(nowNanos);
                worker.poll(nowNanos);
                isBusy |= worker.isBusy();
            }
        }
        if (isBusy) {
            requestTick(nowNanos);
        } else {
            long dueMillis = router.nextDueMillis(SimulatedTime.epochMillis(nowNanos));
            if (dueMillis != NEVER) {
                requestTick(Math.max(nowNanos, SimulatedTime.nanosOf(dueMillis)));
            }
        }
    }

    void requestTick(long afterNanos) {
        long tick = (afterNanos / tickNanos + 1) * tickNanos;
        if (tick < nextTickNanos) {
            nextTickNanos = tick;
            events.add(tick, this::tick);
        }
    }

    /** Returns the latest statuses of the suspects of all workers. */
    Map<String, SuspectStatus.Received> suspects() {
        return suspects;
    }

    /** Lets the workers tell each other of their suspects, four times a second while one has any. */
    void requestSuspects(long nowNanos) {
        if (!suspectsDue) {
            suspectsDue = true;
            events.add((nowNanos / REPORT_NANOS + 1) * REPORT_NANOS, this::exchangeSuspects);
        }
    }

    private void exchangeSuspects(long nowNanos) {
        suspectsDue = false;
        Map<String, SuspectStatus.Received> read = Map.copyOf(suspects);
        boolean goesOn = false;
        for (int i = 0; i < workers.length; i++) {
            if (workers[i].isAlive()) {
                SuspectStatus status = workers[i].exchange(read, nowNanos);
                suspects.put(name(i), new SuspectStatus.Received(status, SimulatedTime.epochMillis(nowNanos)));
                goesOn |= workers[i].hasSuspects();
            } else {
                goesOn = true;
            }
        }
        if (goesOn) {
            requestSuspects(nowNanos);
        }
    }

    /** Runs the periodic checks of the router and the workers. */
    private void second(long nowNanos, int number) {
        router.readBacklogs(nowNanos);
        router.update(reports, nowNanos);
        boolean isCaughtUp = router.isCaughtUp();
        for (SimWorker worker : workers) {
            worker.caughtUp = isCaughtUp;
            if (number % HOUSEKEEPING_SECONDS == 0) {
                worker.prune(nowNanos);
            }
        }
        if (number % HOUSEKEEPING_SECONDS == 0) {
            router.prune(nowNanos);
        }
        shareConcurrency(number / TURN_SECONDS);
        events.add(nowNanos + SimulatedTime.NANOS_PER_SECOND, now -> second(now, number + 1));
    }

    /** Divides concurrency limits among the workers, all of which read the statuses of the previous exchange. */
    private void shareConcurrency(long turn) {
        Map<String, Map<String, MaxMinSlots.Demand>> read = new HashMap<>();
        for (int i = 0; i < workers.length; i++) {
            if (workers[i].isAlive()) {
                read.put(name(i), demands.getOrDefault(name(i), Map.of()));
            }
        }
        demands.clear();
        for (int i = 0; i < workers.length; i++) {
            if (workers[i].isAlive()) {
                String name = name(i);
                demands.put(name, workers[i].share(new MaxMinSlots(name, read, turn)));
            }
        }
    }

    /** Kills a worker by its number, 0 to one less than the workers; without effect on one that is dead. */
    void kill(int worker, long nowNanos) {
        workers[worker].kill(nowNanos);
    }

    void died(SimWorker worker, long nowNanos) {
        tally.workerDeaths++;
        suspects.compute(worker.name, (same, last) -> new SuspectStatus.Received(
                last == null ? SuspectStatus.NONE : last.status(), SimulatedTime.epochMillis(nowNanos)));
        requestSuspects(nowNanos);
        events.add(nowNanos + cluster.restartMillis() * SimulatedTime.NANOS_PER_MILLI, now -> {
            workers[Arrays.asList(workers).indexOf(worker)] =
                    new SimWorker(this, worker.name, worker.settings, worker.partitions, now);
            assign(now);
        });
        events.add(nowNanos + SESSION_NANOS, this::assign);
    }
}
