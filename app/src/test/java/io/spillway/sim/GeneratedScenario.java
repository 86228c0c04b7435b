package io.spillway.sim;

import io.spillway.cli.simulate.ScenarioFiles;
import io.spillway.sim.scenario.Scenario;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Scenario by chance, as a file that {@code spillway simulate} reads: a fleet at shipped defaults, quiet tenants with
 * short items, busy ones, and some bursts. The load apart from bursts is 0.3 to 0.95 of the slots.
 */
final class GeneratedScenario {
    private static final int MOST_ITEMS = 40_000;
    /** Deviations from the median to the 99th percentile of a normal distribution. */
    private static final double Z_99 = 2.3263478740408408;

    final String yaml;
    final Scenario scenario;
    private final List<String> groups = new ArrayList<>();
    private final SplittableRandom random;
    /** Whether all attempts are short, and no concurrency is limited. */
    private final boolean onlyShort;

    /** @param name of the file in {@code target}, to be run again by {@code spillway simulate} */
    private GeneratedScenario(SplittableRandom random, String name, int workers, boolean twoBursts) {
        this.random = random;
        this.onlyShort = random.nextBoolean();
        int slots = random.nextInt(8, 61);
        long seconds = twoBursts ? bursts(workers, workers * slots) : mixed(workers * slots);
        yaml = "duration: %ds\ndrain: 10h\nworkers: {count: %d, slots: %d}\ndefaults: {timeout: 10m}\ntenants:\n%s"
                .formatted(seconds, workers, slots, String.join("", groups));
        scenario = load(yaml, name);
    }

    static GeneratedScenario mixed(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return new GeneratedScenario(random, "mixed-" + seed, random.nextInt(1, 5), false);
    }

    /** Two bursts of other weights, each twice the read-ahead of all workers, beside quiet tenants. */
    static GeneratedScenario twoBursts(long seed, int workers) {
        return new GeneratedScenario(new SplittableRandom(seed), "bursts" + workers + "-" + seed, workers, true);
    }

    /** Distribution of durations in the file, with its mean. */
    private record Duration(String yaml, double meanMillis) {
        static Duration constant(double millis) {
            return new Duration(text("{type: constant, value: %.0f}", millis), millis);
        }

        static Duration lognormal(double median, double p99) {
            double sigma = Math.log(p99 / median) / Z_99;
            return new Duration(text("{type: lognormal, median: %.0f, p99: %.0f}", median, p99),
                    median * Math.exp(sigma * sigma / 2));
        }
    }

    /** Returns its duration in seconds. */
    private long mixed(int slots) {
        double load = slots * between(0.3, 0.95);
        int quiet = random.nextInt(1, 40);
        int busy = random.nextInt(1, 20);
        int bursts = random.nextInt(3);
        int[] weights = random.ints(busy + bursts, 1, 11).map(weight -> random.nextBoolean() ? 1 : weight).toArray();
        double allWeight = quiet;
        for (int weight : weights) {
            allWeight += weight;
        }
        Duration quick = random.nextBoolean() ? Duration.constant(logarithmic(5, 100))
                : Duration.lognormal(logarithmic(5, 30), logarithmic(60, 200));
        // A third of the fair share on average, so that it is rarely exceeded.
        double quietLoad = Math.min(load / 2, between(0.05, 0.33) * quiet * slots / allWeight);
        double perSecond = flow("quiet", quiet, quietLoad, quick, 1, "");

        double busyLoad = load - quietLoad;
        double[] parts = random.doubles(busy, 0.1, 1).toArray();
        double sum = 0;
        for (double part : parts) {
            sum += part;
        }
        for (int i = 0; i < busy; i++) {
            double own = busyLoad * parts[i] / sum;
            // At least three times what it needs on average.
            String cap = isCapped() ? ", concurrency: " + (int) Math.ceil(3 * own + 3) : "";
            perSecond += flow("busy" + i, 1, own, any(), weights[i], cap);
        }
        long seconds = (long) Math.clamp(MOST_ITEMS / perSecond, 15, 120);
        for (int i = 0; i < bursts; i++) {
            Duration each = any();
            double size = Math.clamp(between(2, 15) * slots * 1_000 / each.meanMillis(), 20, MOST_ITEMS / 2);
            String cap = isCapped() ? ", concurrency: " + random.nextInt(4, slots) : "";
            groups.add(text("  - {name: burst%d, arrivals: {type: burst, size: %d, at: %ds}, handler: {latency: %s}, "
                    + "policy: {weight: %d%s}}%n", i, (int) size, random.nextLong(2, seconds / 2),
                    each.yaml(), weights[busy + i], cap));
        }
        return seconds;
    }

    private long bursts(int workers, int slots) {
        int quiet = random.nextInt(1, 30);
        flow("quiet", quiet, Math.min(0.2 * slots, 0.1 * quiet), Duration.constant(20), 1, "");
        int first = random.nextInt(1, 6);
        int second = Math.min(10, first * random.nextInt(2, 5));
        Duration each = Duration.constant(logarithmic(10, 100));
        for (int weight : new int[] {first, second}) {
            groups.add(text("  - {name: weight%d, arrivals: {type: burst, size: %d, at: 5s}, handler: {latency: %s}, "
                    + "policy: {weight: %d}}%n", weight, 8_000 * workers, each.yaml(), weight));
        }
        return 20;
    }

    /** Adds a group with a load in slots; returns its items a second. */
    private double flow(String name, int count, double load, Duration each, int weight, String cap) {
        double rate = Math.max(0.001, load * 1_000 / each.meanMillis() / count);
        groups.add(text("  - {name: %s, count: %d, arrivals: {type: poisson, rate: %.3f}, handler: {latency: %s}, "
                + "policy: {weight: %d%s}}%n", name, count, rate, each.yaml(), weight, cap));
        return rate * count;
    }

    private boolean isCapped() {
        return !onlyShort && random.nextInt(8) == 0;
    }

    private Duration any() {
        return switch (random.nextInt(onlyShort ? 4 : 6)) {
            case 0, 1 -> Duration.constant(logarithmic(20, 500));
            case 2, 3 -> {
                double median = logarithmic(20, onlyShort ? 100 : 500);
                yield Duration.lognormal(median, median * between(2, 6));
            }
            case 4 -> Duration.constant(logarithmic(500, 20_000));
            default -> {
                double median = logarithmic(10, 200);
                yield Duration.lognormal(median, Math.min(30_000, median * between(50, 300)));
            }
        };
    }

    private double between(double least, double most) {
        return random.nextDouble(least, most);
    }

    private double logarithmic(double least, double most) {
        return Math.rint(Math.exp(random.nextDouble(Math.log(least), Math.log(most))));
    }

    private static String text(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }

    private static Scenario load(String yaml, String name) {
        try {
            Path file = Files.createDirectories(Path.of("target", "scheduler")).resolve(name + ".yml");
            Files.writeString(file, yaml);
            return ScenarioFiles.load(file.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
