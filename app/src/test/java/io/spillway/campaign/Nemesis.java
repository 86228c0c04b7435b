package io.spillway.campaign;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

/**
 * Begin and end of each fault. Faults of Kafka are asked for once and may be refused, because the brokers have faults
 * of their own meanwhile; their ends are repeated until they succeed. Used by one thread. What waits for an answer of
 * Kafka runs in another, in the same order, so that it does not hold up the ends of faults.
 */
final class Nemesis implements AutoCloseable {
    private static final int STORM_MILLIS = 700;
    private static final int DRIFT_MILLIS = 500;
    private static final int MAX_STEP_SECONDS = 120;

    private final Brokers brokers;
    private final Processes processes;
    private final Optional<Namespaces> network;
    private final ClusterFaults cluster;
    private final Commands commands;
    private final List<FakeClock> clocks;
    private final ExecutorService asking = Executors.newSingleThreadExecutor();

    /** The commands of an operator. They may fail while the brokers do: then nothing has changed. */
    interface Commands {
        /** Runs a command and returns whether it succeeded. */
        boolean run(String... command);
    }

    /** One action of a fault, at a time since the begin of the load. */
    record Step(long atMillis, Runnable action) {}

    Nemesis(
            Brokers brokers, Processes processes, Optional<Namespaces> network, ClusterFaults cluster,
            Commands commands) {
        this.brokers = brokers;
        this.processes = processes;
        this.network = network;
        this.cluster = cluster;
        this.commands = commands;
        this.clocks = Stream.concat(processes.clocks().stream(), brokers.clock().stream()).toList();
    }

    /** Returns what to do for a fault: its begin, its end, and what is repeated between them. */
    List<Step> steps(Schedule.Event event) {
        List<Step> steps = new ArrayList<>();
        steps.add(new Step(event.atMillis(), () -> {
            System.out.println(event);
            begin(event);
        }));
        switch (event.fault()) {
            case REBALANCE_STORM -> every(STORM_MILLIS, event, steps,
                    i -> asking.execute(() -> cluster.removeMembers(i % 2 == 0)));
            case MOVE_COORDINATORS -> every(STORM_MILLIS, event, steps,
                    i -> asking.execute(cluster::moveCoordinators));
            case DRIFT_CLOCK -> every(DRIFT_MILLIS, event, steps,
                    i -> clock(event.index(), Duration.ofMillis(i * (long) DRIFT_MILLIS / 10)));
            case ROLLING_RESTART -> every(Math.max(1, event.forMillis() / processes.count()), event, steps,
                    i -> processes.signal(i % processes.count(), "TERM"));
            default -> { }
        }
        steps.add(new Step(event.endMillis(), () -> end(event)));
        return steps;
    }

    private static void every(int periodMillis, Schedule.Event event, List<Step> steps, IntConsumer action) {
        for (int i = 0; i * periodMillis < event.forMillis(); i++) {
            int number = i;
            steps.add(new Step(event.atMillis() + i * periodMillis, () -> action.accept(number)));
        }
    }

    private void begin(Schedule.Event event) {
        int index = event.index();
        int broker = index % Brokers.COUNT;
        switch (event.fault()) {
            case KILL_ROUTER, KILL_WORKER, KILL_GATEWAY -> processes.end(event.fault().target, index, "KILL");
            case STOP_ROUTER, STOP_WORKER, STOP_GATEWAY -> processes.end(event.fault().target, index, "TERM");
            case SUSPEND_ROUTER, SUSPEND_WORKER, SUSPEND_GATEWAY ->
                    processes.signal(event.fault().target, index, "STOP");
            case DAMAGE_STATE, LOSE_STATE -> {
                processes.end(Fault.Target.ROUTER, index, "KILL");
                processes.damage(index, event.fault() == Fault.LOSE_STATE);
            }
            case FULL_DISK_OF_ROUTER -> processes.fullDisk(Fault.Target.ROUTER, index, true);
            case STEP_CLOCK -> clock(index, step(event));
            case KILL_BROKER -> brokers.signal(broker, "KILL");
            case STOP_BROKER -> brokers.signal(broker, "TERM");
            case SUSPEND_BROKER -> brokers.signal(broker, "STOP");
            case POWER_OFF_BROKER -> {
                // What is in two memories is safe from one loss, and not from two.
                if (brokers.haveSettled() && cluster.isInSync()) {
                    System.out.println("power off");
                    brokers.powerOff(broker, event.atMillis());
                }
            }
            case FULL_DISK_OF_BROKER -> brokers.fullDisk(broker, true);
            case KILL_ALL_BROKERS -> all(i -> brokers.signal(i, "KILL"));
            case KILL_CONTROLLER -> cluster.controller().ifPresent(id -> brokers.signal(id - 1, "KILL"));
            case SLOW_NETWORK -> brokers.network(broker, event.side(), FaultyProxy.State.SLOW);
            case SILENT_NETWORK -> brokers.network(broker, event.side(), FaultyProxy.State.SILENT);
            case NOTHING_IN -> brokers.network(broker, event.side(), FaultyProxy.State.NOTHING_IN);
            case NOTHING_OUT -> brokers.network(broker, event.side(), FaultyProxy.State.NOTHING_OUT);
            case CLOSED_NETWORK -> brokers.network(broker, event.side(), FaultyProxy.State.CLOSED);
            case TRICKLE -> brokers.network(broker, event.side(), FaultyProxy.State.TRICKLE);
            case ERRORS -> brokers.network(broker, event.side(), FaultyProxy.State.ERRORS);
            case ISOLATE_BROKER, PART_TWO_BROKERS, CUT_BROKER_FROM_BROKERS, CUT_BROKER_FROM_CLIENTS,
                    CUT_CLIENT_FROM_BROKERS, MUTE_BROKER -> network.orElseThrow().cut(cuts(event));
            case THROTTLE -> asking.execute(() -> cluster.throttle(true));
            case OPEN_TRANSACTION -> asking.execute(cluster::openTransaction);
            case CHANGE_POLICIES -> asking.execute(this::change);
            case REBALANCE_STORM, MOVE_COORDINATORS, DRIFT_CLOCK, ROLLING_RESTART -> { }
        }
    }

    private List<Namespaces.Cut> cuts(Schedule.Event event) {
        return Namespaces.cuts(event.fault(), event.index(), Brokers.NAMES, processes.names());
    }

    private void clock(int index, Duration ahead) {
        clocks.get(index % clocks.size()).set(ahead);
    }

    /** Two of three steps go forward. From the event, so that a seed repeats them. */
    private static Duration step(Schedule.Event event) {
        int seconds = 1 + event.forMillis() % MAX_STEP_SECONDS;
        return Duration.ofSeconds(event.atMillis() % 3 == 0 ? -seconds : seconds);
    }

    private void change() {
        commands.run("tenants", "pause", CampaignLoad.tenant(CampaignLoad.Kind.PAUSED.ordinal()));
        commands.run("tenants", "isolate", CampaignLoad.tenant(CampaignLoad.Kind.ISOLATED.ordinal()));
        commands.run("sweep", "record", "--tenant", CampaignLoad.tenant(CampaignLoad.Kind.SWEPT.ordinal()),
                "--started-at", "5s");
    }

    private void end(Schedule.Event event) {
        int index = event.index();
        int broker = index % Brokers.COUNT;
        switch (event.fault().target) {
            case ROUTER, WORKER, GATEWAY -> {
                processes.signal(event.fault().target, index, "CONT");
                processes.fullDisk(event.fault().target, index, false);
                processes.release(event.fault().target, index);
            }
            case BROKER -> all(i -> {
                if (i == broker || Set.of(Fault.KILL_ALL_BROKERS, Fault.KILL_CONTROLLER).contains(event.fault())) {
                    brokers.signal(i, "CONT");
                    brokers.fullDisk(i, false);
                    brokers.restart(i);
                }
            });
            case LINK -> brokers.network(broker, event.side(), FaultyProxy.State.GOOD);
            case NETWORK -> network.orElseThrow().mend(cuts(event));
            case CLOCK -> clock(index, Duration.ZERO);
            case CLUSTER -> asking.execute(() -> endOfClusterFault(event));
        }
    }

    private void endOfClusterFault(Schedule.Event event) {
        switch (event.fault()) {
            case OPEN_TRANSACTION -> cluster.endTransactions(event.index() % 2 == 0);
            case THROTTLE -> cluster.throttle(false);
            case CHANGE_POLICIES -> {
                commands.run("tenants", "resume", CampaignLoad.tenant(CampaignLoad.Kind.PAUSED.ordinal()));
                commands.run("tenants", "release", CampaignLoad.tenant(CampaignLoad.Kind.ISOLATED.ordinal()));
            }
            default -> { }
        }
    }

    private static void all(IntConsumer action) {
        for (int i = 0; i < Brokers.COUNT; i++) {
            action.accept(i);
        }
    }

    /** Ends all faults. What failed meanwhile must go on by itself. */
    void heal() throws InterruptedException {
        brokers.heal();
        all(i -> {
            brokers.signal(i, "CONT");
            brokers.fullDisk(i, false);
        });
        // One whose disk is full ends when it notices.
        Thread.sleep(Duration.ofSeconds(1));
        all(brokers::restart);
        processes.heal();
        clocks.forEach(clock -> clock.set(Duration.ZERO));
        asking.shutdown();
        while (!asking.awaitTermination(1, TimeUnit.SECONDS)) {
            all(brokers::restart);
        }
        cluster.endTransactions(true);
        String paused = CampaignLoad.tenant(CampaignLoad.Kind.PAUSED.ordinal());
        String isolated = CampaignLoad.tenant(CampaignLoad.Kind.ISOLATED.ordinal());
        while (!cluster.throttle(false) || !commands.run("tenants", "resume", paused)) {
            Thread.sleep(Duration.ofSeconds(1));
            all(brokers::restart);
        }
        // Refused if it is not isolated.
        commands.run("tenants", "release", isolated);
    }

    @Override
    public void close() {
        asking.shutdownNow();
        cluster.close();
    }
}
