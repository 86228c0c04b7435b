package io.spillway.bench.load;

import io.spillway.bench.support.Bench;
import io.spillway.bench.support.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A destination is down for a while and comes back. */
@Command(
        name = "outage", mixinStandardHelpOptions = true,
        description = "A destination is down for a while: attempts made meanwhile, and how soon work is back.")
public final class OutageCommand implements Callable<Integer> {
    private static final int LIMIT_AFTER_SECONDS = 5;

    /** Whose handlers fail. */
    private enum Down {
        ONE,
        ALL
    }

    @Option(
            names = "--down", split = ",", defaultValue = "ONE,ALL",
            description = "whose destination is down, a run each: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private List<Down> downs;

    @Option(names = "--tenants", defaultValue = "100", description = "tenants (default: ${DEFAULT-VALUE})")
    private int tenants;

    @Option(names = "--slots", defaultValue = "50", description = "of the worker (default: ${DEFAULT-VALUE})")
    private int slots;

    @Option(
            names = "--handler-millis", defaultValue = "20",
            description = "the handler sleeps, also when it fails (default: ${DEFAULT-VALUE})")
    private int handlerMillis;

    @Option(names = "--load", defaultValue = "0.7", description = "of the slots' capacity (default: ${DEFAULT-VALUE})")
    private double load;

    @Option(
            names = "--settle", defaultValue = "10",
            description = "seconds before the measuring starts (default: ${DEFAULT-VALUE})")
    private int settleSeconds;

    @Option(
            names = "--before", defaultValue = "10",
            description = "seconds measured before the outage (default: ${DEFAULT-VALUE})")
    private int beforeSeconds;

    @Option(names = "--outage", defaultValue = "60", description = "seconds of the outage (default: ${DEFAULT-VALUE})")
    private int outageSeconds;

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

    /**
     * What came of a run.
     *
     * @param attempts    calls while the destination was down
     * @param offered     items sent meanwhile
     * @param normal      items offered, and done, a second: the load is below capacity
     * @param before      items really done a second before the outage
     * @param perSecond   done in each second from its return
     * @param fresh       of the items offered after the return those done, as a share
     * @param others      share of what the tenants with a sound destination were offered in the outage and got done
     * @param left        items not done at the end
     * @param afterAges   at the first attempt, of what was offered after the return
     * @param callsPerSecond for these tenants, in each second of the outage
     * @param doneInOutage   in each second of it: what was under way, and nothing else
     */
    private record Run(
            LoadRun run,
            int attempts,
            int offered,
            double normal,
            double before,
            List<Integer> perSecond,
            double fresh,
            double others,
            int left,
            Ages afterAges,
            List<Integer> callsPerSecond,
            List<Integer> doneInOutage) {
        double attemptsRatio() {
            return (double) attempts / offered;
        }

        double backAfterSeconds() {
            return Goodput.backAfterSeconds(perSecond, normal);
        }
    }

    @Override
    public Integer call() {
        List<Map<Down, Run>> results = new ArrayList<>();
        try (Bench bench = Bench.start()) {
            System.out.printf("%d tenants, %d slots, handler %d ms, %.0f items/s; down for %d s from second %d on%n",
                    tenants, slots, handlerMillis, rate(), outageSeconds, downFrom());
            run(bench, "warm", tenant -> false, warmUpSeconds);
            for (int round = 1; round <= rounds; round++) {
                Map<Down, Run> runs = new LinkedHashMap<>();
                for (int i = 0; i < downs.size(); i++) {
                    Down down = downs.get((i + round) % downs.size());
                    IntPredicate isDown = tenant -> down == Down.ALL || tenant == 0;
                    Run run = measure(
                            run(bench, "o%d-%s".formatted(round, down), isDown, backAt() + afterSeconds), isDown);
                    print(round, down, run);
                    runs.put(down, run);
                }
                results.add(runs);
            }
        }
        downs.forEach(down -> summarize(down, results.stream().map(runs -> runs.get(down)).toList()));
        return 0;
    }

    private double rate() {
        return load * slots * 1e3 / handlerMillis;
    }

    private int downFrom() {
        return settleSeconds + beforeSeconds;
    }

    private int backAt() {
        return downFrom() + outageSeconds;
    }

    private LoadRun run(Bench bench, String prefix, IntPredicate isDown, int seconds) {
        Traffic traffic = new Traffic(List.of(Flow.steady(0, tenants, rate(), 0, seconds)));
        // What the outage has left behind may take long; the run ends soon after the last item was sent.
        return LoadRun.of(bench, new LoadRun.Plan(prefix, slots, Map.of(), Map.of(), traffic,
                Ledger.Behaviour.failing(handlerMillis, isDown, Flow.nanos(downFrom()), Flow.nanos(backAt())),
                ledger -> LoadRun.allDone(ledger, traffic), seconds + LIMIT_AFTER_SECONDS));
    }

    private Run measure(LoadRun run, IntPredicate isDown) {
        Ledger ledger = run.ledger();
        long down = Flow.nanos(downFrom());
        long back = Flow.nanos(backAt());
        long end = Flow.nanos(backAt() + afterSeconds);
        int offeredToOthers = ledger.offered(isDown.negate(), down, back);
        List<Integer> perSecond = IntStream.range(backAt(), backAt() + afterSeconds)
                .mapToObj(second -> ledger.doneBetween(isDown, Flow.nanos(second), Flow.nanos(second + 1)))
                .toList();
        return new Run(
                run,
                ledger.callsBetween(isDown, downFrom(), backAt()),
                ledger.offered(isDown, down, back),
                (double) ledger.offered(isDown, down, back) / outageSeconds,
                (double) ledger.doneBetween(isDown, Flow.nanos(settleSeconds), down) / beforeSeconds,
                perSecond,
                (double) ledger.doneOf(isDown, back, end) / ledger.offered(isDown, back, end),
                (double) ledger.doneBetween(isDown.negate(), down, back) / offeredToOthers,
                ledger.notDone(isDown),
                Ages.of(ledger.ages(isDown, back, end)),
                IntStream.range(downFrom(), backAt())
                        .mapToObj(second -> ledger.callsBetween(isDown, second, second + 1))
                        .toList(),
                IntStream.range(downFrom(), backAt())
                        .mapToObj(second -> ledger.doneBetween(isDown, Flow.nanos(second), Flow.nanos(second + 1)))
                        .toList());
    }

    private static void print(int round, Down down, Run run) {
        // That the run was cut off is its way to end, so only what is left is shown.
        System.out.printf(
                "round %d  %s: %d attempts of %d items offered = %.3f; normal %.1f/s, done before %.1f/s, done in each"
                        + " second after %s; fresh items then %s, done %.3f; others %.3f; %d left, %d dead letters, %d"
                        + " duplicates; load before %s, %s%n",
                round, down, run.attempts(), run.offered(), run.attemptsRatio(), run.normal(), run.before(),
                run.perSecond(), run.afterAges(), run.fresh(), run.others(), run.left(), run.run().deadLetters(),
                run.run().ledger().duplicates(), run.run().load(), run.run().use());
        System.out.printf("         calls and done in each second of the outage: %s %s%n         %s%n",
                run.callsPerSecond(), run.doneInOutage(), run.run().figures());
    }

    private static void summarize(Down down, List<Run> runs) {
        Table<Run> table = new Table<Run>("down: " + down)
                .line("attempts in the outage of the items offered (target 1.1)", "%.3f", Run::attemptsRatio)
                .line("s until 95% of normal goodput (target 10)", "%.0f", Run::backAfterSeconds)
                .line("items offered after the return and done", "%.3f", Run::fresh)
                .line("their p99 at the first attempt, ms", "%.1f", run -> run.afterAges().p99())
                .line("items left at the end", "%.0f", Run::left)
                .line("dead letters", "%.0f", run -> run.run().deadLetters())
                .line("items done more than once", "%.0f", run -> run.run().ledger().duplicates());
        if (down == Down.ONE) {
            table.line("others: done of offered in the outage", "%.3f", Run::others);
        }
        table.print(runs, runs.stream().filter(run -> !run.run().use().isDisturbed()).toList());
    }
}
