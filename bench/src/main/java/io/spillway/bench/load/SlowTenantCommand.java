package io.spillway.bench.load;

import io.spillway.bench.support.Bench;
import io.spillway.bench.support.Table;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.IntPredicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** One tenant's handler becomes a thousand times slower while its rate stays. */
@Command(
        name = "slow-tenant", mixinStandardHelpOptions = true,
        description = "One tenant's handler becomes slow; the others before and after.")
public final class SlowTenantCommand implements Callable<Integer> {
    private static final int SLOW = 0;
    private static final IntPredicate OTHERS = tenant -> tenant != SLOW;
    private static final int LIMIT_AFTER_SECONDS = 30;

    @Option(
            names = "--tenants", defaultValue = "20",
            description = "tenants, the slow one among them (default: ${DEFAULT-VALUE})")
    private int tenants;

    @Option(names = "--slots", defaultValue = "50", description = "of the worker (default: ${DEFAULT-VALUE})")
    private int slots;

    @Option(
            names = "--handler-millis", defaultValue = "10",
            description = "the handler sleeps (default: ${DEFAULT-VALUE})")
    private int handlerMillis;

    @Option(
            names = "--slow-millis", defaultValue = "10000",
            description = "the slow tenant's handler sleeps from then on (default: ${DEFAULT-VALUE})")
    private int slowMillis;

    @Option(
            names = "--load", defaultValue = "0.5",
            description = "of the slots' capacity before the change (default: ${DEFAULT-VALUE})")
    private double load;

    @Option(
            names = "--caps", split = ",", defaultValue = "10,0",
            description = "concurrency in the slow tenant's policy, a run each; 0 is none (default: ${DEFAULT-VALUE})")
    private List<Integer> caps;

    @Option(
            names = "--settle", defaultValue = "10",
            description = "seconds before the measuring starts (default: ${DEFAULT-VALUE})")
    private int settleSeconds;

    @Option(
            names = "--before", defaultValue = "20",
            description = "seconds measured before the change (default: ${DEFAULT-VALUE})")
    private int beforeSeconds;

    @Option(
            names = "--after", defaultValue = "30",
            description = "seconds measured after it (default: ${DEFAULT-VALUE})")
    private int afterSeconds;

    @Option(
            names = "--warm-up", defaultValue = "30",
            description = "seconds of a run before, discarded (default: ${DEFAULT-VALUE})")
    private int warmUpSeconds;

    @Option(names = "--rounds", defaultValue = "5", description = "rounds (default: ${DEFAULT-VALUE})")
    private int rounds;

    private record Run(LoadRun run, Ages before, Ages after, int mostInUse, int othersNotDone) {}

    @Override
    public Integer call() {
        Map<Integer, List<Run>> results;
        try (Bench bench = Bench.start()) {
            System.out.printf(
                    "%d tenants, %d slots, %.0f items/s, handler %d ms, that of one tenant %d ms from second %d on%n",
                    tenants, slots, rate(), handlerMillis, slowMillis, changeSecond());
            run(bench, "warm", 0, Integer.MAX_VALUE, warmUpSeconds);
            results = Rounds.of(rounds, caps, (round, cap) -> {
                Run run = measure(run(
                        bench, "s%d-%d".formatted(round, cap), cap, changeSecond(), changeSecond() + afterSeconds));
                print(round, cap, run);
                return run;
            });
        }
        results.forEach(SlowTenantCommand::summarize);
        return 0;
    }

    private double rate() {
        return load * slots * 1e3 / handlerMillis;
    }

    private int changeSecond() {
        return settleSeconds + beforeSeconds;
    }

    private LoadRun run(Bench bench, String prefix, int cap, int slowFromSecond, int seconds) {
        Traffic traffic = new Traffic(List.of(Flow.steady(SLOW, tenants, rate(), 0, seconds)));
        long slowFromNanos = Flow.nanos(slowFromSecond);
        Map<Integer, PolicySettings> policies = cap == 0
                ? Map.of()
                : Map.of(SLOW, PolicySettings.NONE_SET.with(PolicyField.CONCURRENCY, Integer.toString(cap)));
        // What the slow tenant has left would take an hour; the run ends when the others have nothing left.
        return LoadRun.of(bench, new LoadRun.Plan(prefix, slots, Map.of("worker.drainGrace", "0ms"), policies, traffic,
                Ledger.Behaviour.slowing(handlerMillis, SLOW, slowMillis, slowFromNanos),
                ledger -> ledger.notDone(OTHERS) == 0, seconds + LIMIT_AFTER_SECONDS));
    }

    private Run measure(LoadRun run) {
        Ledger ledger = run.ledger();
        long change = Flow.nanos(changeSecond());
        return new Run(run,
                Ages.of(ledger.ages(OTHERS, Flow.nanos(settleSeconds), change)),
                Ages.of(ledger.ages(OTHERS, change, Long.MAX_VALUE)),
                ledger.mostInUse(SLOW), ledger.notDone(OTHERS));
    }

    private static void print(int round, int cap, Run run) {
        System.out.printf(
                "round %d  cap %s: others before %s, after %s, %d not done; slow tenant: at most %d at once, %d not"
                        + " done; %s%n",
                round, cap == 0 ? "none" : cap, run.before(), run.after(), run.othersNotDone(), run.mostInUse(),
                run.run().ledger().notDone(OTHERS.negate()), run.run().notes());
        System.out.printf("         %s%n", run.run().figures());
    }

    private static void summarize(int cap, List<Run> runs) {
        new Table<Run>("cap " + (cap == 0 ? "none" : cap))
                .line("others' p50 before, ms", "%.1f", run -> run.before().p50())
                .line("others' p50 after, ms", "%.1f", run -> run.after().p50())
                .line("others' p99 before, ms", "%.1f", run -> run.before().p99())
                .line("others' p99 after, ms", "%.1f", run -> run.after().p99())
                .line(
                        "p99, ratio (target 1.25)",
                        "%.2f",
                        run -> run.after().p99() / run.before().p99())
                .line("others' max before, ms", "%.1f", run -> run.before().max())
                .line("others' max after, ms", "%.1f", run -> run.after().max())
                .line("others' items not done (target 0)", "%.0f", Run::othersNotDone)
                .line(
                        "slow tenant's handlers at once, most" + (cap == 0 ? "" : " (target " + cap + ")"), "%.0f",
                        Run::mostInUse)
                .line(
                        "items done more than once",
                        "%.0f",
                        run -> run.run().ledger().duplicates())
                .print(
                        runs, runs.stream()
                                .filter(run -> !run.run().use().isDisturbed())
                                .toList());
    }
}
