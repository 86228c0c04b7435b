package io.spillway.bench.support;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The end of a command: a line for each figure, with its rounds and their median, twice where some rounds were
 * disturbed.
 *
 * @param <R> what a round came to
 */
public final class Table<R> {
    private record Line<R>(String name, String format, ToDoubleFunction<R> figure) {}

    private final List<Line<R>> lines = new ArrayList<>();
    private final String title;

    public Table(String title) {
        this.title = title;
    }

    /** Adds a figure; the format is of one number. */
    public Table<R> line(String name, String format, ToDoubleFunction<R> figure) {
        lines.add(new Line<>(name, format, figure));
        return this;
    }

    /**
     * Prints it.
     *
     * @param quiet the rounds in which nobody else used the machine much
     */
    public void print(List<R> rounds, List<R> quiet) {
        print("all rounds", rounds);
        if (!quiet.isEmpty() && quiet.size() < rounds.size()) {
            print("undisturbed rounds", quiet);
        }
    }

    private void print(String which, List<R> rounds) {
        System.out.printf("%n%s, %s (%d)%n%-64s %10s   by round%n", title, which, rounds.size(), "", "median");
        for (Line<R> line : lines) {
            List<Double> figures = rounds.stream().map(round -> line.figure().applyAsDouble(round)).toList();
            StringBuilder text = new StringBuilder();
            figures.forEach(figure -> text.append("  ").append(line.format().formatted(figure)));
            System.out.printf("%-64s %10s  %s%n", line.name(), line.format().formatted(Median.of(figures)), text);
        }
    }
}
