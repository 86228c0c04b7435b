package io.spillway.bench.support;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Samples of named quantities through a run. Used by one thread. Bound: the samples of the run. */
public final class Trends {
    private static final double HOUR_NANOS = TimeUnit.HOURS.toNanos(1);

    private final Map<String, List<Trend.Sample>> samples = new LinkedHashMap<>();
    private final Set<String> growing = new HashSet<>();

    /** Names a quantity that is meant to grow during the run, and gets no verdict. */
    public void expectGrowth(String name) {
        growing.add(name);
    }

    /** Adds a sample. Those of a quantity come in the order of their times. */
    public void add(String name, long atNanos, double value) {
        samples.computeIfAbsent(name, absent -> new ArrayList<>()).add(
                new Trend.Sample(atNanos / HOUR_NANOS, value));
    }

    /** Returns the newest value of a quantity; NaN without samples. */
    public double last(String name) {
        List<Trend.Sample> of = samples.getOrDefault(name, List.of());
        return of.isEmpty() ? Double.NaN : of.getLast().value();
    }

    /** Returns the names of the quantities that rise and are not meant to. */
    public List<String> rising() {
        return samples.keySet().stream().filter(name -> !growing.contains(name))
                .filter(name -> Trend.ofLastThreeQuarters(samples.get(name)).verdict() == Trend.Verdict.RISING)
                .toList();
    }

    /** Returns a table in Markdown, one row for each quantity. */
    public String table() {
        StringBuilder table = new StringBuilder("""
                | quantity | samples | first | mean | last | slope per hour | verdict |
                |---|--:|--:|--:|--:|--:|---|
                """);
        samples.forEach((name, of) -> {
            Trend trend = Trend.ofLastThreeQuarters(of);
            boolean isKnown = trend.verdict() != Trend.Verdict.TOO_FEW_SAMPLES;
            table.append("| %s | %d | %,.1f | %,.1f | %,.1f | %s | %s |%n".formatted(
                    name, trend.samples(), of.getFirst().value(), trend.mean(), of.getLast().value(),
                    isKnown ? "%+,.1f ± %,.1f".formatted(trend.slopePerHour(), trend.errorPerHour()) : "",
                    growing.contains(name) ? "grows by design"
                            : trend.verdict().name().toLowerCase(Locale.ROOT).replace('_', ' ')));
        });
        return table.toString();
    }

    /** Returns all samples, a line of comma-separated values each: hours, quantity, value. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        samples.forEach((name, of) -> of.forEach(sample ->
                lines.add("%.5f,%s,%s".formatted(sample.hours(), name, sample.value()))));
        return lines;
    }
}
