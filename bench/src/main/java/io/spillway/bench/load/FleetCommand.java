package io.spillway.bench.load;

import io.spillway.bench.support.Bench;
import io.spillway.bench.support.BrokerOptions;
import io.spillway.kafka.topics.TopicSettings;
import io.spillway.worker.WorkerException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Fleets of several workers beside the simulator: ages before, in and after a spike, or in a rolling restart. */
@Command(
        name = "fleet", mixinStandardHelpOptions = true, sortOptions = false,
        description = {
            "Fleets of workers that share the same slots, beside the simulator with the same scenario.",
            "One router and the workers run in this JVM at shipped defaults. Items arrive at random (Poisson), from "
                    + "all tenants alike; handlers sleep. Each worker has --slots / workers slots, rounded down.",
            "A run: --warm, --before, the spike, and 21 s of the load of before. It ends when all is done, or --limit "
                    + "after the last item was sent. So all is never done sooner than 21 s after the spike.",
            "Ages are those at the first attempt, of the items that arrive in a window; one without an attempt counts "
                    + "with its age at the limit. Most in hot: records that are not finished by the commits, looked at "
                    + "twice a second; running items and markers of transactions count. Cores: of this process and the "
                    + "broker; near the cores of the machine, the machine is measured and not the queue.",
            "--rolling restarts each worker in turn instead of a spike. Moved: partitions that had another owner than "
                    + "before at some time, looked at ten times a second until --pause after the restart.",
        })
public final class FleetCommand implements Callable<Integer> {
    private static final double LOAD = 0.7;
    private static final int LONGEST_RESTART_SECONDS = 60;

    @Mixin
    private BrokerOptions broker;

    @Option(
            names = "--workers", split = ",", defaultValue = "1,2,4,8,12,16",
            description = "workers, a run each (default: ${DEFAULT-VALUE})")
    private List<Integer> workers;

    @Option(names = "--slots", defaultValue = "100", description = "of all workers (default: ${DEFAULT-VALUE})")
    private int slots;

    @Option(
            names = "--partitions", defaultValue = TopicSettings.DEFAULT_PARTITIONS,
            description = "of ingress and of each lane (default: the product's, ${DEFAULT-VALUE})")
    private int partitions;

    @Option(names = "--tenants", defaultValue = "100", description = "tenants (default: ${DEFAULT-VALUE})")
    private int tenants;

    @Option(names = "--millis", defaultValue = "100", description = "the handler sleeps (default: ${DEFAULT-VALUE})")
    private int handlerMillis;

    @Option(names = "--rate", description = "items/s of all tenants (default: 70%% of what the slots can do)")
    private Double rate;

    @Option(
            names = "--warm", defaultValue = "30",
            description = "seconds of the load before anything counts (default: ${DEFAULT-VALUE})")
    private int warmSeconds;

    @Option(names = "--before", defaultValue = "20", description = "seconds that count (default: ${DEFAULT-VALUE})")
    private int beforeSeconds;

    @Option(names = "--spike", defaultValue = "10", description = "seconds of the spike (default: ${DEFAULT-VALUE})")
    private int spikeSeconds;

    @Option(names = "--factor", defaultValue = "3", description = "rate in the spike (default: ${DEFAULT-VALUE})")
    private double factor;

    @Option(names = "--no-spike", description = "only the steady load")
    private boolean noSpike;

    @Option(names = "--rolling", description = "restart each worker in turn, without a spike")
    private boolean rolling;

    @Option(
            names = "--pause", defaultValue = "10",
            description = "seconds from one restart to the next (default: ${DEFAULT-VALUE})")
    private int pauseSeconds;

    @Option(
            names = "--limit", defaultValue = "120",
            description = "longest time from the last item to the end, seconds (default: ${DEFAULT-VALUE})")
    private int limitSeconds;

    @Option(names = "--rounds", defaultValue = "1", description = "rounds (default: ${DEFAULT-VALUE})")
    private int rounds;

    private final List<String> failures = new ArrayList<>();

    @Override
    public Integer call() {
        List<FleetPlan> plans = workers.stream().map(this::plan).toList();
        StringBuilder report = new StringBuilder();
        try (Bench bench = broker.start()) {
            if (rolling) {
                Rounds.of(rounds, plans, (round, plan) -> report.append(roll(bench, round, plan)));
            } else {
                Map<FleetPlan, List<List<FleetFigures>>> simulated = new HashMap<>();
                Map<FleetPlan, List<List<FleetFigures>>> real = Rounds.of(rounds, plans, (round, plan) -> {
                    simulated.computeIfAbsent(plan, each -> new ArrayList<>()).add(attempt(plan + ", simulated",
                            () -> FleetSimulation.run(plan, limitSeconds, round)));
                    return attempt(plan.toString(), () -> run(bench, round, plan));
                });
                report.append(FleetFigures.head(plans.getFirst()));
                real.forEach((plan, runs) -> {
                    String label = "%d × %d".formatted(plan.workers(), plan.slots());
                    report.append(FleetFigures.row(plan, label, runs.stream().flatMap(List::stream).toList()));
                    report.append(FleetFigures.row(
                            plan, "simulated", simulated.get(plan).stream().flatMap(List::stream).toList()));
                });
            }
        }
        System.out.printf("%n%s", report);
        failures.forEach(failure -> System.out.printf("%n%s%n", failure));
        return failures.isEmpty() ? 0 : 1;
    }

    /** Runs it; a fleet that cannot run is reported, and the others are measured all the same. */
    private <T> List<T> attempt(String what, Supplier<T> run) {
        try {
            return List.of(run.get());
        } catch (WorkerException | IllegalArgumentException e) {
            fail(what + ": " + e.getMessage());
            return List.of();
        }
    }

    private void fail(String failure) {
        System.err.println("FAILED: " + failure);
        failures.add("FAILED: " + failure);
    }

    private FleetFigures run(Bench bench, int round, FleetPlan plan) {
        System.err.printf("round %d  %s%n", round, plan);
        Traffic traffic = plan.traffic(round);
        FleetWatch watch = new FleetWatch(plan.warmSeconds());
        LoadRun run = LoadRun.of(bench, new LoadRun.Plan(
                "f%d-%d".formatted(round, plan.workers()), plan.workers(), plan.slots(), plan.settings(), Map.of(),
                traffic, Ledger.Behaviour.sleeping(handlerMillis), ledger -> LoadRun.allDone(ledger, traffic),
                plan.seconds() + limitSeconds, watch));
        if (watch.idle() > 0) {
            fail("%s: %d workers have no partitions".formatted(plan, watch.idle()));
        }
        FleetFigures figures = FleetFigures.of(plan, run, watch.most(), limitSeconds);
        System.err.printf("         %s         %s%n", FleetFigures.row(plan, "", List.of(figures)), run.notes());
        return figures;
    }

    private String roll(Bench bench, int round, FleetPlan plan) {
        System.err.printf("round %d  %s%n", round, plan);
        int seconds = plan.seconds() + plan.workers() * (pauseSeconds + LONGEST_RESTART_SECONDS);
        // More than is sent: the senders stop after the last restart.
        Traffic traffic = new Traffic(List.of(Flow.poisson(0, tenants, plan.perSecond(), 0, seconds, round)));
        RollingRestart restarts = new RollingRestart(plan, pauseSeconds);
        List<LoadRun> runs = attempt(plan.toString(), () -> LoadRun.of(bench, new LoadRun.Plan(
                "r%d-%d".formatted(round, plan.workers()), plan.workers(), plan.slots(), plan.settings(), Map.of(),
                traffic, restarts, restarts::isOver, seconds + limitSeconds, restarts)));
        runs.forEach(run -> System.err.printf("         %s%n", run.notes()));
        return runs.isEmpty() ? "" : "%s:%n%n%s%n".formatted(plan, restarts.table(runs.getFirst()));
    }

    private FleetPlan plan(int count) {
        int each = slots / count;
        double perSecond = rate == null ? LOAD * count * each * 1e3 / handlerMillis : rate;
        return new FleetPlan(
                count, each, partitions, tenants, perSecond, handlerMillis, warmSeconds, beforeSeconds,
                noSpike || rolling ? 0 : spikeSeconds, factor);
    }
}
