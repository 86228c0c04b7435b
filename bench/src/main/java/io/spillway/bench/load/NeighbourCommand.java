package io.spillway.bench.load;

import io.spillway.bench.support.Bench;
import io.spillway.bench.support.BrokerOptions;
import io.spillway.bench.support.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Many quiet tenants and one with a burst, beside the same without the burst. */
@Command(
        name = "neighbour", mixinStandardHelpOptions = true,
        description = "Quiet tenants beside one with a burst, against the same without it.")
public final class NeighbourCommand implements Callable<Integer> {
    private static final int NOISY = 0;
    private static final IntPredicate IS_NOISY = tenant -> tenant == NOISY;

    @Mixin
    private BrokerOptions broker;

    @Option(
            names = "--tenants", defaultValue = "100",
            description = "tenants, the noisy one among them (default: ${DEFAULT-VALUE})")
    private int tenants;

    @Option(
            names = "--workloads",
            description = "all are workloads of one tenant, and no tenants of their own")
    private boolean workloads;

    @Option(names = "--slots", defaultValue = "50", description = "of the worker (default: ${DEFAULT-VALUE})")
    private int slots;

    @Option(
            names = "--handler-millis", defaultValue = "20",
            description = "the handler sleeps (default: ${DEFAULT-VALUE})")
    private int handlerMillis;

    @Option(
            names = "--quiet-rate", defaultValue = "490",
            description = "items a second of all quiet tenants (default: ${DEFAULT-VALUE})")
    private int quietRate;

    @Option(
            names = "--settle",
            defaultValue = "5",
            description =
                    "seconds of quiet traffic before second 0: a new topic's first transactions are slow (default:"
                            + " ${DEFAULT-VALUE})")
    private int settleSeconds;

    @Option(names = "--seconds", defaultValue = "30", description = "of quiet traffic (default: ${DEFAULT-VALUE})")
    private int seconds;

    @Option(
            names = "--burst", defaultValue = "50000",
            description = "items of the noisy tenant (default: ${DEFAULT-VALUE})")
    private int burst;

    @Option(names = "--burst-at", defaultValue = "5", description = "second of the burst (default: ${DEFAULT-VALUE})")
    private int burstAt;

    /** With less, what is measured in the second of the burst is how long the compilers take. */
    @Option(
            names = "--warm-up", defaultValue = "3",
            description = "runs with the burst before, discarded (default: ${DEFAULT-VALUE})")
    private int warmUpRuns;

    @Option(
            names = "--limit", defaultValue = "180",
            description = "seconds after which a run ends with items left (default: ${DEFAULT-VALUE})")
    private int limitSeconds;

    @Option(names = "--rounds", defaultValue = "5", description = "rounds (default: ${DEFAULT-VALUE})")
    private int rounds;

    private record Round(
            LoadRun alone, LoadRun beside, Ages aloneAges, Ages besideAges, double noisySeconds, double idealSeconds) {
        boolean isDisturbed() {
            return alone.use().isDisturbed() || beside.use().isDisturbed();
        }

        /** With the slots that the handler left when its sleep is measured: a sleep takes longer than was asked for. */
        double idealAsMeasured(int handlerMillis, int slots, int quietRate) {
            double ideal = slots * 1e3 / handlerMillis - quietRate;
            double measured = slots * 1e3 / beside.ledger().doneInMillis() - quietRate;
            return idealSeconds * ideal / measured;
        }
    }

    @Override
    public Integer call() {
        List<Round> results = new ArrayList<>();
        try (Bench bench = broker.start()) {
            System.out.printf(
                    "%d %s, handler %d ms, %d slots; %d quiet items/s for %d s; %,d items at once at second %d%n",
                    tenants, workloads ? "workloads of one tenant" : "tenants",
                    handlerMillis, slots, quietRate, seconds, burst, burstAt);
            for (int run = 1; run <= warmUpRuns; run++) {
                run(bench, "w%d".formatted(run), burstAt, burst, 1);
            }
            for (int round = 1; round <= rounds; round++) {
                boolean aloneFirst = round % 2 == 1;
                LoadRun early = run(bench, "n%da".formatted(round), seconds, aloneFirst ? 0 : burst, burstAt);
                LoadRun late = run(bench, "n%db".formatted(round), seconds, aloneFirst ? burst : 0, burstAt);
                Round result = aloneFirst ? compare(early, late) : compare(late, early);
                print(round, result);
                results.add(result);
            }
        }
        summarize(results);
        return 0;
    }

    private LoadRun run(Bench bench, String prefix, int quietSeconds, int burstItems, int atSecond) {
        List<Flow> flows = new ArrayList<>();
        flows.add(Flow.steady(NOISY + 1, tenants - 1, quietRate, 0, settleSeconds + quietSeconds));
        if (burstItems > 0) {
            flows.add(Flow.burst(NOISY, burstItems, settleSeconds + atSecond));
        }
        Traffic traffic = new Traffic(flows, workloads, false);
        return LoadRun.of(bench, new LoadRun.Plan(prefix, slots, Map.of(), Map.of(), traffic,
                Ledger.Behaviour.sleeping(handlerMillis), ledger -> LoadRun.allDone(ledger, traffic), limitSeconds));
    }

    /** Both over the same window: from the burst until the noisy tenant was done in the run that had one. */
    private Round compare(LoadRun alone, LoadRun beside) {
        long from = Flow.nanos(settleSeconds + burstAt);
        boolean noisyDone = beside.ledger().notDone(IS_NOISY) == 0;
        long to = noisyDone ? beside.ledger().lastDoneNanos(IS_NOISY) : Flow.nanos(limitSeconds);
        IntPredicate quiet = IS_NOISY.negate();
        return new Round(alone, beside,
                Ages.of(alone.ledger().ages(quiet, from, to)),
                Ages.of(beside.ledger().ages(quiet, from, to)),
                noisyDone ? (to - from) / 1e9 : Double.POSITIVE_INFINITY,
                burst / (slots * 1e3 / handlerMillis - quietRate));
    }

    private void print(int round, Round result) {
        Ledger beside = result.beside().ledger();
        System.out.printf("round %d  without burst: %s, %d of %d not done; %s%n", round, result.aloneAges(),
                result.alone().ledger().notDone(IS_NOISY.negate()), quietItems(), result.alone().notes());
        System.out.printf(
                "round %d  with burst:    %s, %d of %d not done; noisy done %.1f s after the burst (%d of %d not"
                        + " done), ideal %.1f s, handler %.2f ms; %s%n",
                round, result.besideAges(), beside.notDone(IS_NOISY.negate()), quietItems(), result.noisySeconds(),
                beside.notDone(IS_NOISY), burst, result.idealSeconds(), beside.doneInMillis(),
                result.beside().notes());
        System.out.printf("         p99 in each second, without: %s; with: %s%n         %s%n", bySecond(result.alone()),
                bySecond(result.beside()), result.beside().figures());
    }

    private List<Long> bySecond(LoadRun run) {
        return IntStream.range(settleSeconds, settleSeconds + seconds)
                .mapToObj(second -> Math.round(Ages.of(run.ledger().ages(
                        IS_NOISY.negate(), Flow.nanos(second), Flow.nanos(second + 1))).p99()))
                .toList();
    }

    private int quietItems() {
        return quietRate * (settleSeconds + seconds);
    }

    private void summarize(List<Round> results) {
        new Table<Round>("quiet tenants from the burst until the noisy one is done")
                .line(
                        "p50 without the burst, ms",
                        "%.1f",
                        round -> round.aloneAges().p50())
                .line(
                        "p50 with the burst, ms",
                        "%.1f",
                        round -> round.besideAges().p50())
                .line(
                        "p99 without the burst, ms",
                        "%.1f",
                        round -> round.aloneAges().p99())
                .line(
                        "p99 with the burst, ms (target 250)",
                        "%.1f",
                        round -> round.besideAges().p99())
                .line(
                        "p99, ratio (target 1.25)",
                        "%.2f",
                        round -> round.besideAges().p99() / round.aloneAges().p99())
                .line(
                        "max without the burst, ms",
                        "%.1f",
                        round -> round.aloneAges().max())
                .line(
                        "max with the burst, ms",
                        "%.1f",
                        round -> round.besideAges().max())
                .line(
                        "quiet items not done, both runs (target 0)",
                        "%.0f",
                        round -> round.alone().ledger().notDone(IS_NOISY.negate())
                                + round.beside().ledger().notDone(IS_NOISY.negate()))
                .line(
                        "items done more than once, both runs",
                        "%.0f",
                        round -> round.alone().ledger().duplicates()
                                + round.beside().ledger().duplicates())
                .line("noisy done, s after the burst", "%.1f", Round::noisySeconds)
                .line("of the ideal time (target 1.15)", "%.2f", round -> round.noisySeconds() / round.idealSeconds())
                .line(
                        "of the ideal time by the handler as measured",
                        "%.2f",
                        round -> round.noisySeconds() / round.idealAsMeasured(handlerMillis, slots, quietRate))
                .print(
                        results,
                        results.stream().filter(round -> !round.isDisturbed()).toList());
    }
}
