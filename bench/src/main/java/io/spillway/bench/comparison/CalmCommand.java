package io.spillway.bench.comparison;

import io.spillway.bench.load.Contestant;
import io.spillway.bench.support.Bench;
import io.spillway.bench.support.BrokerOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What calm weather costs: latency, processor time and requests at low and middle rates, warm, beside peers. */
@Command(
        name = "calm", mixinStandardHelpOptions = true,
        description = "Latency, processor time and requests to the broker at steady rates, warm.")
public final class CalmCommand implements Callable<Integer> {
    private static final String PER_SECOND = "%.1f";
    private static final List<PeerScenario.Figure> AGES = List.of(
            new PeerScenario.Figure(CalmRun.P50, "%.1f"),
            new PeerScenario.Figure(CalmRun.P99, "%.1f"),
            new PeerScenario.Figure(CalmRun.MAX, "%.1f"),
            new PeerScenario.Figure(CalmRun.MICROS, "%.0f"),
            new PeerScenario.Figure(CalmRun.CLIENT_MICROS, "%.0f"),
            new PeerScenario.Figure(CalmRun.BROKER_MICROS, "%.0f"),
            new PeerScenario.Figure(CalmRun.LEFT, "%.0f"));
    private static final List<PeerScenario.Figure> COSTS = List.of(
            new PeerScenario.Figure(CalmRun.CORE, "%.1f"),
            new PeerScenario.Figure(CalmRun.CLIENT_CORE, "%.1f"),
            new PeerScenario.Figure(CalmRun.BROKER_CORE, "%.1f"),
            new PeerScenario.Figure(CalmRun.TRANSACTIONS, PER_SECOND),
            new PeerScenario.Figure(CalmRun.REQUESTS, PER_SECOND));
    /** Shown over the rates, to see how they grow. */
    private static final List<PeerScenario.Figure> GROWING = List.of(
            AGES.get(0), AGES.get(1), AGES.get(3), COSTS.get(0), COSTS.get(3), COSTS.get(4));

    @Mixin
    private BrokerOptions broker;

    @Option(
            names = "--rates", split = ",", defaultValue = "0,10,100,1000,5000,20000",
            description = "items a second (default: ${DEFAULT-VALUE})")
    private List<Integer> rates;

    @Option(
            names = "--peers", split = ",", defaultValue = "SPILLWAY,FIFO_POOL",
            description = "of ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private List<Contestant> contestants;

    @Option(names = "--rounds", defaultValue = "5", description = "rounds (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Option(names = "--seconds", defaultValue = "20", description = "measured (default: ${DEFAULT-VALUE})")
    private int seconds;

    @Option(
            names = "--warm-up", defaultValue = "10",
            description = "seconds of the same traffic before that, in each run (default: ${DEFAULT-VALUE})")
    private int warmUpSeconds;

    @Option(
            names = "--compile", defaultValue = "60",
            description = "seconds of a first run of each at the highest rate, which is discarded"
                    + " (default: ${DEFAULT-VALUE})")
    private int compileSeconds;

    @Option(names = "--tenants", defaultValue = "100", description = "in turn (default: ${DEFAULT-VALUE})")
    private int tenants;

    @Option(names = "--slots", defaultValue = "50", description = "handlers at one time (default: ${DEFAULT-VALUE})")
    private int slots;

    private record Variant(int rate, Contestant contestant) {}

    @Override
    public Integer call() {
        List<Variant> variants = rates.stream()
                .flatMap(rate -> contestants.stream().map(each -> new Variant(rate, each))).toList();
        Map<Variant, List<PeerScenario.Result>> results = new LinkedHashMap<>();
        System.out.printf("calm: %s items/s of %d tenants for %d s after %d s, handler 0 ms, %d slots%n",
                rates, tenants, seconds, warmUpSeconds, slots);
        try (Bench bench = broker.start()) {
            for (Contestant contestant : contestants) {
                CalmRun.of(bench, new CalmRun.Plan(Collections.max(rates), tenants, slots, compileSeconds, 1),
                        contestant, "c0-" + contestant.ordinal());
            }
            for (int round = 1; round <= rounds; round++) {
                List<Variant> order = new ArrayList<>(variants);
                // Whoever comes first meets another machine than whoever comes last.
                Collections.rotate(order, 1 - round);
                for (Variant variant : order) {
                    PeerScenario.Result result = CalmRun.of(
                            bench, new CalmRun.Plan(variant.rate(), tenants, slots, warmUpSeconds, seconds),
                            variant.contestant(),
                            "c%d-%d-%d".formatted(round, variant.rate(), variant.contestant().ordinal()));
                    print(round, variant, result);
                    results.computeIfAbsent(variant, each -> new ArrayList<>()).add(result);
                }
            }
        }
        Map<Integer, PeerTable> tables = new LinkedHashMap<>();
        rates.forEach(rate -> tables.computeIfAbsent(rate, each -> table(each, results)));
        tables.forEach((rate, table) -> System.out.printf(
                "%n%,d items/s, round by round (* disturbed)%n%s%nMedians%n%n%s",
                rate, table.rounds(), table.markdown()));
        System.out.printf("%nMedians by items/s%n%n%s", growth(tables));
        return 0;
    }

    private static void print(int round, Variant variant, PeerScenario.Result result) {
        StringBuilder text = new StringBuilder();
        result.figures().forEach((name, value) -> text.append("  %s %.1f;".formatted(name, value)));
        System.out.printf("round %d  %,6d/s  %s%n  %s%n           %s%n", round, variant.rate(),
                variant.contestant().label(), text, result.detail().getFirst());
    }

    /** The figures at one rate, with a line for each API that was called. */
    private PeerTable table(int rate, Map<Variant, List<PeerScenario.Result>> results) {
        TreeSet<String> apis = new TreeSet<>();
        results.forEach((variant, all) -> all.stream().filter(each -> variant.rate() == rate)
                .forEach(each -> apis.addAll(each.figures().keySet())));
        List<PeerScenario.Figure> figures = new ArrayList<>(rate > 0 ? AGES : List.of());
        figures.addAll(COSTS);
        figures.forEach(figure -> apis.remove(figure.name()));
        apis.forEach(api -> figures.add(new PeerScenario.Figure(api, PER_SECOND)));
        PeerTable table = new PeerTable(figures);
        contestants.forEach(contestant -> results.get(new Variant(rate, contestant))
                .forEach(result -> table.add(contestant, result)));
        return table;
    }

    private String growth(Map<Integer, PeerTable> tables) {
        StringBuilder text = new StringBuilder("| |");
        tables.keySet().forEach(rate -> text.append(" %,d |".formatted(rate)));
        text.append("\n|---|").append("--:|".repeat(tables.size())).append('\n');
        for (PeerScenario.Figure figure : GROWING) {
            for (Contestant contestant : contestants) {
                text.append("| %s, %s |".formatted(figure.name(), contestant.shortLabel()));
                tables.values().forEach(table -> text.append(' ')
                        .append(PeerTable.shown(figure, table.median(contestant, figure.name()))).append(" |"));
                text.append('\n');
            }
        }
        return text.toString();
    }
}
