package io.spillway.cli.system;

import io.spillway.cli.terminal.Printer;
import io.spillway.core.sharding.OverlapCensus;
import io.spillway.core.sharding.OverlapOdds;
import io.spillway.core.sharding.PolynomialShards;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Report of the {@code shards} command, in the form of its JSON.
 *
 * @param tenants    number of generated tenants
 * @param shards     number of different shards
 * @param maxOverlap null for no limit
 * @param assignment null without a limit
 */
record ShardsReport(
        int slots, int perTenant, int tenants, long seed, BigInteger shards, List<Overlap> overlaps,
        Integer maxOverlap, Assignment assignment) {
    /**
     * Pairs of tenants that share a number of slots.
     *
     * @param shards          number of shards that share this many slots with a given one
     * @param chance          probability for a pair, with shuffled shards
     * @param chancePlain     probability for a pair, with fixed shards of adjacent slots
     * @param chanceUnsharded probability for a pair, without shards
     * @param assigned        share of the generated pairs, with a maximum overlap; null without
     */
    private record Overlap(
            int shared, BigInteger shards, double chance, double chancePlain, double chanceUnsharded,
            Double assigned, Long assignedPairs) {}

    /** Shards of generated tenants that keep the maximum overlap. */
    private record Assignment(int assigned, int refused, long capacity, int usedSlots, int largestOverlap) {}

    static ShardsReport of(int slots, int perTenant, int tenants, long seed, Optional<Integer> maxOverlap) {
        OverlapOdds odds = new OverlapOdds(slots, perTenant);
        Optional<PolynomialShards> table =
                maxOverlap.map(most -> new PolynomialShards(slots, perTenant, most, seed));
        int assigned = table.map(each -> (int) Math.min(tenants, each.capacity())).orElse(0);
        long[] pairs = table.map(each -> pairs(slots, perTenant, assigned, each)).orElse(new long[perTenant + 1]);
        List<Overlap> overlaps = IntStream.rangeClosed(0, perTenant)
                .mapToObj(shared -> new Overlap(
                        shared, odds.shardsSharing(shared), odds.chance(shared), plain(slots, perTenant, shared),
                        shared == perTenant ? 1 : 0,
                        table.map(each -> pairs[shared] / Math.max(1, 0.5 * assigned * (assigned - 1))).orElse(null),
                        table.map(each -> pairs[shared]).orElse(null)))
                .toList();
        int largest = IntStream.rangeClosed(0, perTenant).filter(shared -> pairs[shared] > 0).max().orElse(0);
        return new ShardsReport(
                slots, perTenant, tenants, seed, odds.shards(), overlaps, maxOverlap.orElse(null),
                table.map(each -> new Assignment(assigned, tenants - assigned, each.capacity(),
                        each.rows() * each.width(), largest)).orElse(null));
    }

    /** Returns the pairs of tenants by the number of shared slots, counted. */
    private static long[] pairs(int slots, int perTenant, int tenants, PolynomialShards table) {
        int[][] shards = new int[tenants][perTenant];
        for (int tenant = 0; tenant < tenants; tenant++) {
            table.shard(tenant, perTenant, shards[tenant]);
        }
        return OverlapCensus.pairs(slots, shards);
    }

    /** Returns the probability for fixed shards of adjacent slots, which share all slots or none. */
    private static double plain(int slots, int perTenant, int shared) {
        double chance = 1.0 / (slots / perTenant);
        return shared == perTenant ? chance : shared == 0 ? 1 - chance : 0;
    }

    void print(Printer printer) {
        printer.line(String.format(Locale.ROOT, "%s, %d per tenant: %,d different shard%s",
                Printer.count(slots, "slot"), perTenant, shards, shards.equals(BigInteger.ONE) ? "" : "s"));
        printer.line("");
        printer.line("If all slots of one tenant fail, this share of the other tenants loses so many of its slots:");
        List<String> head = new ArrayList<>(List.of("lost", "shuffled", "plain shards", "no shards"));
        if (assignment != null) {
            head.add(2, "at most " + maxOverlap + " shared");
        }
        printer.table(head, overlaps.stream().map(row -> {
            List<String> cells = new ArrayList<>(List.of(row.shared() + " of " + perTenant, number(row.chance()),
                    number(row.chancePlain()), number(row.chanceUnsharded())));
            if (assignment != null) {
                cells.add(2, number(row.assigned()));
            }
            return cells;
        }));
        if (assignment != null) {
            printer.line("");
            printer.line(String.format(Locale.ROOT,
                    "With at most %d shared by any two tenants: %,d tenants can have a shard", maxOverlap,
                    assignment.capacity()));
            printer.line(String.format(Locale.ROOT, "(%d rows of %,d slots, %,d of %,d slots in use).",
                    perTenant, assignment.usedSlots() / perTenant, assignment.usedSlots(), slots));
            printer.line(String.format(Locale.ROOT, "%,d of %,d tenants have one. Any two share at most %d.",
                    assignment.assigned(), tenants, assignment.largestOverlap()));
        }
    }

    /** Formats with at least three digits, so that probabilities of different magnitudes can be compared. */
    private static String number(double value) {
        return value == 0 ? "0"
                : value < 0.001 ? String.format(Locale.ROOT, "%.2e", value)
                : value < 1 ? String.format(Locale.ROOT, "%.4f", value)
                : String.format(Locale.ROOT, "%.0f", value);
    }
}
