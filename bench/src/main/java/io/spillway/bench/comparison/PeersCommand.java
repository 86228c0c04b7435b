package io.spillway.bench.comparison;

import io.spillway.bench.load.Contestant;
import io.spillway.bench.support.Bench;
import io.spillway.bench.support.BrokerOptions;
import io.spillway.core.text.Printable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The product beside its peers: the same traffic and the same handler through each in turn, on one broker. */
@Command(
        name = "peers", mixinStandardHelpOptions = true,
        description = "A scenario through Spillway and its peers in turn.")
public final class PeersCommand implements Callable<Integer> {
    /** What there is to meet. */
    enum Kind {
        NEIGHBOUR,
        SLOW_TENANT,
        OUTAGE,
        HANDLERS,
        ORDER,
        ORDER_NEIGHBOUR;

        /** As it is given on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    @Option(names = "--scenario", required = true, description = "of ${COMPLETION-CANDIDATES}")
    private Kind kind;

    @Option(
            names = "--peers", split = ",",
            defaultValue = "SPILLWAY,FIFO_POOL,PARALLEL_UNORDERED,PARALLEL_BY_KEY,SHARE_GROUP,SPRING_FUTURES",
            description = "of ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private List<Contestant> contestants;

    @Option(names = "--rounds", defaultValue = "5", description = "rounds (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Option(names = "--slots", defaultValue = "50", description = "handlers at one time (default: ${DEFAULT-VALUE})")
    private int slots;

    @Option(
            names = "--seconds", defaultValue = "30",
            description = "neighbour: of quiet traffic, with the burst (default: ${DEFAULT-VALUE})")
    private int seconds;

    @Option(
            names = "--burst", defaultValue = "50000",
            description = "neighbour: items of the noisy tenant (default: ${DEFAULT-VALUE})")
    private int burst;

    @Mixin
    private BrokerOptions broker;

    @Option(names = "--chart", description = "an SVG file to draw the medians into")
    private Path chart;

    @Option(names = "--quick", description = "one short round of little meaning, to see that all works")
    private boolean quick;

    @Override
    public Integer call() {
        PeerScenario scenario = scenario();
        PeerTable table = new PeerTable(scenario.figures());
        List<String> failures = new ArrayList<>();
        System.out.println(scenario.title());
        try (Bench bench = broker.start()) {
            for (Contestant contestant : contestants) {
                guarded("warm-up, " + contestant.label(), failures,
                        () -> scenario.warmUp(bench, contestant, "w" + contestant.ordinal()));
            }
            for (int round = 1; round <= (quick ? 1 : rounds); round++) {
                List<Contestant> order = new ArrayList<>(contestants);
                // Whoever comes first meets another machine than whoever comes last.
                Collections.rotate(order, round - 1);
                for (Contestant contestant : order) {
                    run(bench, scenario, contestant, round, table, failures);
                }
            }
        }
        System.out.printf("%nRound by round (* disturbed)%n%s%nMedians%s%n%s", table.rounds(),
                quick ? " (TRIAL: too short to mean anything)" : "", table.markdown());
        failures.forEach(failure -> System.out.println("FAILED: " + failure));
        if (chart != null) {
            PeerChart.draw(
                    scenario, table, kind + (quick ? ", TRIAL" : ", medians of %d rounds".formatted(rounds)), chart);
        }
        return failures.isEmpty() ? 0 : 1;
    }

    private static void run(
            Bench bench,
            PeerScenario scenario,
            Contestant contestant,
            int round,
            PeerTable table,
            List<String> failures) {
        guarded("round %d, %s".formatted(round, contestant.label()), failures, () -> {
            PeerScenario.Result result =
                    scenario.run(bench, contestant, "p%d-%d".formatted(round, contestant.ordinal()));
            print(round, contestant, result);
            table.add(contestant, result);
        });
    }

    /**
     * One that fails costs its own figures and not those of an hour's run: what it was is said at once and at the end.
     */
    private static void guarded(String what, List<String> failures, Runnable part) {
        try {
            part.run();
        } catch (RuntimeException e) {
            failures.add(what + ": " + Printable.of(e.toString()));
            System.out.println("FAILED: " + failures.getLast());
        }
    }

    private PeerScenario scenario() {
        return switch (kind) {
            case NEIGHBOUR -> quick
                    ? new NeighbourPeers(100, slots, 20, 490, 3, 4, 8, 6_000, 2, 4, false)
                    : new NeighbourPeers(100, slots, 20, 490, 4, 8, seconds, burst, 5, 4, false);
            case ORDER_NEIGHBOUR -> quick
                    ? new NeighbourPeers(100, slots, 20, 490, 3, 4, 8, 6_000, 2, 4, true)
                    : new NeighbourPeers(100, slots, 20, 490, 4, 8, seconds, burst, 5, 4, true);
            case ORDER -> new HandlersPeers(slots, 1_000, quick ? orders(200, 2_000, 5_000)
                    : orders(1_000, 10_000, 40_000), 60);
            case SLOW_TENANT -> quick
                    ? new SlowTenantPeers(100, slots, 10, 10_000, 0.5, 3, 3, 6, 3)
                    : new SlowTenantPeers(100, slots, 10, 10_000, 0.5, 5, 10, 20, 5);
            case OUTAGE -> quick
                    ? new OutagePeers(100, slots, 20, 0.5, 2, 5, 10, 4)
                    : new OutagePeers(100, slots, 20, 0.7, 5, 60, 30, 5);
            case HANDLERS -> quick
                    ? new HandlersPeers(slots, 1_000, loads(20_000, 10_000, 5_000, 500), 20)
                    : new HandlersPeers(slots, 1_000, loads(500_000, 200_000, 40_000, 5_000), 60);
        };
    }

    /** Of 0, 1, 10 and 100 ms. */
    private static List<HandlersPeers.Load> loads(int none, int one, int ten, int hundred) {
        return List.of(new HandlersPeers.Load(0, none, 0), new HandlersPeers.Load(1, one, 0),
                new HandlersPeers.Load(10, ten, 0), new HandlersPeers.Load(100, hundred, 0));
    }

    /** Of 1, 100 and 10,000 keys. */
    private static List<HandlersPeers.Load> orders(int one, int hundred, int tenThousand) {
        return List.of(new HandlersPeers.Load(5, one, 1), new HandlersPeers.Load(5, hundred, 100),
                new HandlersPeers.Load(5, tenThousand, 10_000));
    }

    private static void print(int round, Contestant contestant, PeerScenario.Result result) {
        System.out.printf("round %d  %s%n", round, contestant.label());
        result.figures().forEach((name, value) -> System.out.printf("           %-52s %10.2f%n", name, value));
        result.detail().forEach(line -> System.out.println("         " + line));
    }
}
