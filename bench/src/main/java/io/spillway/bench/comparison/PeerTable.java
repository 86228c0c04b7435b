package io.spillway.bench.comparison;

import io.spillway.bench.load.Contestant;
import io.spillway.bench.support.Median;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The figures of all contestants in all rounds. A run that was disturbed is left out of the medians, unless all of that
 * contestant were: then they are used, and marked.
 */
public final class PeerTable {
    private final List<PeerScenario.Figure> figures;
    private final Map<Contestant, List<PeerScenario.Result>> results = new EnumMap<>(Contestant.class);

    public PeerTable(List<PeerScenario.Figure> figures) {
        this.figures = figures;
    }

    public void add(Contestant contestant, PeerScenario.Result result) {
        results.computeIfAbsent(contestant, each -> new ArrayList<>()).add(result);
    }

    List<Contestant> contestants() {
        return List.copyOf(results.keySet());
    }

    /** Median of a figure over the undisturbed runs; not a number where there is none. */
    public double median(Contestant contestant, String figure) {
        return Median.of(counted(contestant).stream()
                .map(result -> result.figures().getOrDefault(figure, Double.NaN)).toList());
    }

    /** As Markdown: a line for each figure, a column for each contestant. */
    public String markdown() {
        StringBuilder text = new StringBuilder("| |");
        results.keySet().forEach(each -> text.append(' ').append(each.label()).append(" |"));
        text.append("\n|---|").append("--:|".repeat(results.size())).append('\n');
        for (PeerScenario.Figure figure : figures) {
            text.append("| ").append(figure.name()).append(" |");
            results.keySet().forEach(each ->
                    text.append(' ').append(shown(figure, median(each, figure.name()))).append(" |"));
            text.append('\n');
        }
        text.append("| rounds that count, of all |");
        results.forEach((each, all) -> text.append(' ').append(isMarked(each)
                ? "0 of %d: all DISTURBED".formatted(all.size())
                : "%d of %d".formatted(counted(each).size(), all.size())).append(" |"));
        return text.append('\n').toString();
    }

    /** Each figure round by round, disturbed ones marked with a star. */
    public String rounds() {
        StringBuilder text = new StringBuilder();
        for (PeerScenario.Figure figure : figures) {
            text.append(figure.name()).append('\n');
            results.forEach((each, all) -> {
                text.append("  %-30s".formatted(each.label()));
                all.forEach(result -> text.append("  ")
                        .append(shown(figure, result.figures().getOrDefault(figure.name(), Double.NaN)))
                        .append(result.disturbed() ? "*" : ""));
                text.append('\n');
            });
        }
        return text.toString();
    }

    private List<PeerScenario.Result> counted(Contestant contestant) {
        List<PeerScenario.Result> all = results.get(contestant);
        List<PeerScenario.Result> quiet = all.stream().filter(result -> !result.disturbed()).toList();
        return quiet.isEmpty() ? all : quiet;
    }

    private boolean isMarked(Contestant contestant) {
        return results.get(contestant).stream().allMatch(PeerScenario.Result::disturbed);
    }

    static String shown(PeerScenario.Figure figure, double value) {
        if (Double.isNaN(value)) {
            return "–";
        }
        return Double.isInfinite(value) ? "never" : figure.format().formatted(value);
    }
}
