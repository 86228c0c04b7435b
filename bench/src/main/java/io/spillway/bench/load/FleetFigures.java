package io.spillway.bench.load;

import io.spillway.bench.support.Median;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Figures of one run of a fleet, real or simulated.
 *
 * @param ages        at the first attempt, by when the items arrived
 * @param mostInHot   most unfinished items of hot at one time, running ones included
 * @param doneSeconds from the end of the spike until all is done; infinite when something was left
 * @param again       share of the items with more than one attempt
 * @param cores       that this process and the broker used on average; not a number in a simulation
 * @param isDisturbed whether others used the machine much
 */
record FleetFigures(
        Map<FleetPlan.Phase, Ages> ages, double mostInHot, double doneSeconds, double again, double cores,
        boolean isDisturbed) {

    /** Computes those of a real run. */
    static FleetFigures of(FleetPlan plan, LoadRun run, double mostInHot, int limitSeconds) {
        Ledger ledger = run.ledger();
        Map<FleetPlan.Phase, Ages> ages = new EnumMap<>(FleetPlan.Phase.class);
        plan.phases().forEach(phase -> ages.put(phase, Ages.of(ledger.agesUntil(
                Flow.nanos(plan.seconds() + limitSeconds), tenant -> true, Flow.nanos(plan.fromSecond(phase)),
                Flow.nanos(plan.toSecond(phase))))));
        double lastSecond = ledger.lastDoneNanos(tenant -> true) / 1e9;
        return new FleetFigures(
                ages, mostInHot,
                ledger.notDone(tenant -> true) > 0 ? Double.POSITIVE_INFINITY : lastSecond - plan.spikeEndSecond(),
                (double) ledger.handedOverAgain() / ledger.offered(tenant -> true, 0, Long.MAX_VALUE),
                (run.use().benchSeconds() + run.use().brokerSeconds()) / lastSecond,
                run.use().isDisturbed());
    }

    /** The first line of a table. */
    static String head(FleetPlan plan) {
        List<String> names = new ArrayList<>(List.of("workers × slots"));
        plan.phases().forEach(phase -> names.add("p50; p99 " + phase.label() + ", ms"));
        names.add("most in hot");
        if (plan.hasSpike()) {
            names.add("all done, s after the spike");
        }
        names.addAll(List.of("attempted again, %", "cores", "disturbed rounds"));
        return row(names) + row(names.stream().map(name -> "--:").toList());
    }

    /** A line of the table: the medians of the rounds; without rounds only what it is. */
    static String row(FleetPlan plan, String label, List<FleetFigures> rounds) {
        List<String> cells = new ArrayList<>(List.of(label));
        plan.phases().forEach(phase -> cells.add(
                median(rounds, "%,.0f", round -> round.ages().get(phase).p50()) + "; "
                        + median(rounds, "%,.0f", round -> round.ages().get(phase).p99())));
        cells.add(median(rounds, "%,.0f", FleetFigures::mostInHot));
        if (plan.hasSpike()) {
            cells.add(median(rounds, "%.1f", FleetFigures::doneSeconds));
        }
        cells.add(median(rounds, "%.2f", round -> 100 * round.again()));
        cells.add(median(rounds, "%.1f", FleetFigures::cores));
        boolean isReal = rounds.stream().anyMatch(round -> !Double.isNaN(round.cores()));
        cells.add(isReal ? "%d of %d".formatted(
                rounds.stream().filter(FleetFigures::isDisturbed).count(), rounds.size()) : "–");
        return row(cells);
    }

    private static String median(List<FleetFigures> rounds, String format, ToDoubleFunction<FleetFigures> figure) {
        double median = Median.of(rounds.stream().map(figure::applyAsDouble).toList());
        return Double.isNaN(median) ? "–" : Double.isInfinite(median) ? "never" : format.formatted(median);
    }

    static String row(List<String> cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }
}
