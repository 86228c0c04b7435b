package io.spillway.cli.system;

import io.spillway.cli.terminal.Printer;
import io.spillway.core.sharding.Combinations;
import io.spillway.core.sharding.OverlapOdds;
import io.spillway.core.sharding.ShardResult;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What the {@code shards} command shows.
 *
 * @param odds     of n and k
 * @param overlap  the bound on overlap, if there is one
 * @param tenants  how many were to have a shard
 * @param seed     of the draw
 * @param drawn    each tenant's shard drawn for it alone
 * @param searched shards that keep the bound, if there is one
 */
record ShardsReport(
        OverlapOdds odds, Optional<Integer> overlap, int tenants, long seed, ShardsTrial drawn,
        Optional<ShardsTrial> searched) {
    private static final int BAR = 40;
    private static final int MOST_BARS = 16;

    /**
     * So many slots shared by two tenants: exact, as drawn, and as assigned where overlap is bounded.
     *
     * @param shards          that share so many slots with a given one
     * @param chance          of a pair, with shuffled shards
     * @param chancePlain     of a pair, with fixed shards of neighbouring slots
     * @param chanceUnsharded of a pair, without shards
     */
    private record Overlap(
            int shared, BigInteger shards, double chance, double chancePlain, double chanceUnsharded, double observed,
            long observedPairs, double expectedPairs, Double assigned, Long assignedPairs) {}

    private record Load(int min, int median, int max) {
        static Load of(ShardsTrial trial) {
            int[] ascending = trial.loads();
            return new Load(ascending[0], ascending[ascending.length / 2], ascending[ascending.length - 1]);
        }
    }

    private record Assignment(
            int assigned, int refused, BigInteger bound, String reason, long draws, long steps, double seconds,
            boolean sampled, Load load) {}

    private record Json(
            int slots, int perTenant, int tenants, long seed, BigInteger shards, List<Overlap> overlaps,
            boolean sampled, Load load, Integer maxOverlap, Assignment assignment) {}

    /** For JSON. */
    Record json() {
        return new Json(
                odds.slots(), odds.perTenant(), tenants, seed, odds.shards(), overlaps(), drawn.sampled(),
                Load.of(drawn), overlap.orElse(null), searched.map(this::assignment).orElse(null));
    }

    private List<Overlap> overlaps() {
        return IntStream.rangeClosed(0, odds.perTenant()).mapToObj(shared -> new Overlap(
                shared, odds.shardsSharing(shared), odds.chance(shared), plain(shared),
                shared == odds.perTenant() ? 1 : 0, share(drawn, shared), drawn.pairs()[shared], odds.chance(shared) * drawn.pairsInAll(),
                searched.map(trial -> share(trial, shared)).orElse(null),
                searched.map(trial -> trial.pairs()[shared]).orElse(null))).toList();
    }

    /** For a person. */
    void print(Printer printer) {
        int k = odds.perTenant();
        printer.line("%,d slots, %d a tenant: %,d different shards".formatted(odds.slots(), k, odds.shards()));
        printer.line("");
        printer.line("When all slots of one tenant are lost, this share of the others loses so many of its own:");
        printBlastRadius(printer);
        printer.line("");
        printer.line("Pairs of %,d tenants by the slots they share%s:".formatted(
                tenants, drawn.sampled() ? ", of a sample of " + "%,d".formatted(drawn.pairsInAll()) : ""));
        printer.table(List.of("shared", "expected", "observed", "share of pairs"),
                overlaps().stream().map(row -> List.of(row.shared(), number(row.expectedPairs()),
                        "%,d".formatted(row.observedPairs()), bar(row.observed()))));
        printer.line("");
        printLoads(printer, "Tenants of a slot", drawn);
        searched.ifPresent(trial -> {
            printer.line("");
            printAssignment(printer, trial);
        });
    }

    private void printBlastRadius(Printer printer) {
        List<String> head = new ArrayList<>(List.of("lost", "shuffled", "plain shards", "no shards"));
        overlap.ifPresent(most -> head.add(2, "at most " + most + " shared"));
        printer.table(head, overlaps().stream().map(row -> {
            List<String> cells = new ArrayList<>(List.of(row.shared() + " of " + odds.perTenant(), number(row.chance()),
                    number(row.chancePlain()), number(row.chanceUnsharded())));
            if (row.assigned() != null) {
                cells.add(2, number(row.assigned()));
            }
            return cells;
        }));
    }

    private void printAssignment(Printer printer, ShardsTrial trial) {
        printer.line("With at most %d shared by any two: %,d of %,d tenants have a shard (no assignment can have more than %,d)"
                .formatted(overlap.orElseThrow(), trial.tenants(), tenants, bound()));
        trial.refused().ifPresent(reason -> printer.line("the rest has none: " + reason.text()
                + (reason == ShardResult.Reason.GAVE_UP ? "" : ", which holds for every further tenant")));
        printer.line("search: %,d draws, %,d steps, %.3f s".formatted(trial.draws(), trial.steps(), trial.seconds()));
        printLoads(printer, "tenants of a slot", trial);
    }

    /** A histogram: how many slots have how many tenants. */
    private static void printLoads(Printer printer, String what, ShardsTrial trial) {
        Load load = Load.of(trial);
        printer.line("%s: from %,d to %,d, median %,d".formatted(what, load.min(), load.max(), load.median()));
        int width = (load.max() - load.min()) / MOST_BARS + 1;
        printer.table(List.of("tenants", "slots", "share of slots"),
                IntStream.iterate(load.min(), from -> from <= load.max(), from -> from + width).mapToObj(from -> {
                    long count = Arrays.stream(trial.loads())
                            .filter(each -> each >= from && each < from + width).count();
                    return List.of(width == 1 ? "%,d".formatted(from) : "%,d-%,d".formatted(from, from + width - 1),
                            "%,d".formatted(count), bar((double) count / trial.loads().length));
                }));
    }

    private Assignment assignment(ShardsTrial trial) {
        return new Assignment(trial.tenants(), tenants - trial.tenants(), bound(),
                trial.refused().map(reason -> reason.name().toLowerCase(Locale.ROOT).replace('_', '-')).orElse(null),
                trial.draws(), trial.steps(), trial.seconds(), trial.sampled(), Load.of(trial));
    }

    private BigInteger bound() {
        return Combinations.packingBound(odds.slots(), odds.perTenant(), overlap.orElseThrow());
    }

    /** Fixed shards of k neighbours: whoever shares one slot shares all. What is left over at the end belongs to none. */
    private double plain(int shared) {
        double chance = 1.0 / (odds.slots() / odds.perTenant());
        return shared == odds.perTenant() ? chance : shared == 0 ? 1 - chance : 0;
    }

    private static double share(ShardsTrial trial, int shared) {
        long all = trial.pairsInAll();
        return all == 0 ? 0 : (double) trial.pairs()[shared] / all;
    }

    private static String bar(double share) {
        int length = (int) Math.round(share * BAR);
        return (share > 0 && length == 0 ? "." : "#".repeat(length)) + (share > 0 ? " " + number(share) : "0");
    }

    /** Three digits, so that chances far apart can be compared at a glance. */
    private static String number(double value) {
        return value == 0 ? "0"
                : value < 0.001 ? String.format(Locale.ROOT, "%.2e", value)
                : value < 1 ? String.format(Locale.ROOT, "%.4f", value)
                : value == Math.rint(value) || value >= 1_000 ? String.format(Locale.ROOT, "%,.0f", value)
                : String.format(Locale.ROOT, "%.1f", value);
    }
}
