package io.spillway.cli.system;

import io.spillway.cli.terminal.Printer;
import io.spillway.core.sharding.OverlapOdds;
import io.spillway.core.sharding.PolynomialShards;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Report of the {@code shards} command.
 *
 * @param overlap  maximum overlap, if limited
 * @param tenants  number of sample tenants
 * @param drawn    shards drawn independently
 * @param bounded  table of the shards that keep the maximum overlap, if limited
 * @param numbered shards of its first tenants
 */
record ShardsReport(
        OverlapOdds odds, Optional<Integer> overlap, int tenants, long seed, ShardsTrial drawn,
        Optional<PolynomialShards> bounded, Optional<ShardsTrial> numbered) {
    private static final int BAR = 40;
    private static final int MAX_BARS = 16;

    /**
     * Pairs of tenants that share a number of slots: exact, as drawn, and as assigned with a maximum overlap.
     *
     * @param shards          number of shards that share this many slots with a given one
     * @param chance          probability for a pair, with shuffled shards
     * @param chancePlain     probability for a pair, with fixed shards of adjacent slots
     * @param chanceUnsharded probability for a pair, without shards
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
            int assigned, int refused, long capacity, int usedSlots, int largestOverlap, Load load) {}

    private record Json(
            int slots, int perTenant, int tenants, long seed, BigInteger shards, List<Overlap> overlaps,
            Load load, Integer maxOverlap, Assignment assignment) {}

    Record json() {
        return new Json(
                odds.slots(), odds.perTenant(), tenants, seed, odds.shards(), overlaps(), Load.of(drawn),
                overlap.orElse(null), numbered.map(this::assignment).orElse(null));
    }

    private List<Overlap> overlaps() {
        return IntStream.rangeClosed(0, odds.perTenant())
                .mapToObj(shared -> new Overlap(
                        shared, odds.shardsSharing(shared), odds.chance(shared), plain(shared),
                        shared == odds.perTenant() ? 1 : 0, drawn.share(shared), drawn.pairs()[shared],
                        odds.chance(shared) * drawn.pairsInAll(),
                        numbered.map(trial -> trial.share(shared)).orElse(null),
                        numbered.map(trial -> trial.pairs()[shared]).orElse(null)))
                .toList();
    }

    void print(Printer printer) {
        int k = odds.perTenant();
        printer.line(String.format(Locale.ROOT, "%s, %d per tenant: %,d different shard%s",
                Printer.count(odds.slots(), "slot"), k, odds.shards(),
                odds.shards().equals(BigInteger.ONE) ? "" : "s"));
        printer.line("");
        printer.line("If all slots of one tenant fail, this share of the other tenants loses so many of its slots:");
        printBlastRadius(printer);
        printer.line("");
        printer.line(String.format(Locale.ROOT, "Pairs of %,d tenants by the slots they share:", tenants));
        printer.table(List.of("shared", "expected", "observed", "share of pairs"),
                overlaps().stream().map(row -> List.of(row.shared(), number(row.expectedPairs()),
                        number(row.observedPairs()), bar(row.observed()))));
        printer.line("");
        printLoads(printer, drawn);
        numbered.ifPresent(trial -> {
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
        PolynomialShards table = bounded.orElseThrow();
        printer.line(String.format(Locale.ROOT,
                "With at most %d shared by any two tenants: %,d tenants can have a shard", overlap.orElseThrow(),
                table.capacity()));
        printer.line(String.format(Locale.ROOT, "(%d rows of %,d slots, %,d of %,d slots in use).",
                table.rows(), table.width(), usedSlots(), odds.slots()));
        printer.line(String.format(Locale.ROOT, "%,d of %,d tenants have one. Any two share at most %d.",
                trial.tenants(), tenants, trial.largestOverlap()));
        printLoads(printer, trial);
    }

    /** Prints a histogram of the tenants per slot. */
    private static void printLoads(Printer printer, ShardsTrial trial) {
        Load load = Load.of(trial);
        printer.line(String.format(Locale.ROOT,
                "Tenants per slot: from %,d to %,d, median %,d", load.min(), load.max(), load.median()));
        int width = (load.max() - load.min()) / MAX_BARS + 1;
        printer.table(List.of("tenants", "slots", "share of slots"),
                IntStream.iterate(load.min(), from -> from <= load.max(), from -> from + width).mapToObj(from -> {
                    long count = Arrays.stream(trial.loads())
                            .filter(slotLoad -> slotLoad >= from && slotLoad < from + width).count();
                    return List.of(width == 1 ? number(from) : number(from) + "-" + number(from + width - 1),
                            number(count), bar((double) count / trial.loads().length));
                }));
    }

    private Assignment assignment(ShardsTrial trial) {
        return new Assignment(trial.tenants(), tenants - trial.tenants(), bounded.orElseThrow().capacity(),
                usedSlots(), trial.largestOverlap(), Load.of(trial));
    }

    private int usedSlots() {
        return bounded.map(table -> table.rows() * table.width()).orElseThrow();
    }

    /** Returns the probability for fixed shards of adjacent slots, which share all slots or none. */
    private double plain(int shared) {
        double chance = 1.0 / (odds.slots() / odds.perTenant());
        return shared == odds.perTenant() ? chance : shared == 0 ? 1 - chance : 0;
    }

    private static String bar(double share) {
        int length = (int) Math.round(share * BAR);
        return (share > 0 && length == 0 ? "." : "#".repeat(length)) + (share > 0 ? " " + number(share) : "0");
    }

    /** Formats with at least three digits, so that probabilities of different magnitudes can be compared. */
    private static String number(double value) {
        return value == 0 ? "0"
                : value < 0.001 ? String.format(Locale.ROOT, "%.2e", value)
                : value < 1 ? String.format(Locale.ROOT, "%.4f", value)
                : value == Math.rint(value) || value >= 1_000 ? String.format(Locale.ROOT, "%,.0f", value)
                : String.format(Locale.ROOT, "%.1f", value);
    }
}
