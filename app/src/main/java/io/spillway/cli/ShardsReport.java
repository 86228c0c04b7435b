package io.spillway.cli;

import io.spillway.policy.Combinations;
import io.spillway.policy.OverlapOdds;
import io.spillway.policy.ShardAnswer;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

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

    /** For JSON. */
    Map<String, Object> asMap() {
        List<Map<String, Object>> overlaps = new ArrayList<>();
        for (int shared = 0; shared <= odds.perTenant(); shared++) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("shared", shared);
            row.put("shards", odds.shardsSharing(shared));
            row.put("chance", odds.chance(shared));
            row.put("chancePlain", plain(shared));
            row.put("chanceUnsharded", unsharded(shared));
            row.put("observed", share(drawn, shared));
            row.put("observedPairs", drawn.pairs()[shared]);
            row.put("expectedPairs", odds.chance(shared) * drawn.pairsInAll());
            int at = shared;
            searched.ifPresent(trial -> {
                row.put("assigned", share(trial, at));
                row.put("assignedPairs", trial.pairs()[at]);
            });
            overlaps.add(row);
        }
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("slots", odds.slots());
        result.put("perTenant", odds.perTenant());
        result.put("tenants", tenants);
        result.put("seed", seed);
        result.put("shards", odds.shards());
        result.put("overlaps", overlaps);
        result.put("sampled", drawn.sampled());
        result.put("load", load(drawn));
        overlap.ifPresent(most -> result.put("maxOverlap", most));
        searched.ifPresent(trial -> result.put("assignment", assignment(trial)));
        return result;
    }

    /** For a person. */
    void print(Printer printer) {
        int k = odds.perTenant();
        printer.line("%,d slots, %d a tenant: %,d different shards".formatted(odds.slots(), k, odds.shards()));
        printer.line("");
        printer.line("When all slots of one tenant are lost, this share of the others loses so many of its own:");
        printer.table(blastRadius());
        printer.line("");
        printer.line("Pairs of %,d tenants by the slots they share%s:".formatted(
                tenants, drawn.sampled() ? ", of a sample of " + "%,d".formatted(drawn.pairsInAll()) : ""));
        printer.table(pairs(drawn));
        printer.line("");
        printLoads(printer, "Tenants of a slot", drawn);
        searched.ifPresent(trial -> {
            printer.line("");
            printAssignment(printer, trial);
        });
    }

    private List<List<String>> blastRadius() {
        List<List<String>> rows = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("lost", "shuffled"));
        overlap.ifPresent(most -> head.add("at most " + most + " shared"));
        head.addAll(List.of("plain shards", "no shards"));
        rows.add(head);
        for (int shared = 0; shared <= odds.perTenant(); shared++) {
            List<String> row = new ArrayList<>(List.of(shared + " of " + odds.perTenant(), number(odds.chance(shared))));
            if (searched.isPresent()) {
                row.add(number(share(searched.get(), shared)));
            }
            row.addAll(List.of(number(plain(shared)), number(unsharded(shared))));
            rows.add(row);
        }
        return rows;
    }

    private List<List<String>> pairs(ShardsTrial trial) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("shared", "expected", "observed", "share of pairs"));
        for (int shared = 0; shared <= odds.perTenant(); shared++) {
            rows.add(List.of(
                    Integer.toString(shared),
                    number(odds.chance(shared) * trial.pairsInAll()),
                    "%,d".formatted(trial.pairs()[shared]),
                    bar(share(trial, shared))));
        }
        return rows;
    }

    private void printAssignment(Printer printer, ShardsTrial trial) {
        printer.line("With at most %d shared by any two: %,d of %,d tenants have a shard (no assignment can have more than %,d)"
                .formatted(overlap.orElseThrow(), trial.tenants(), tenants, bound()));
        trial.refused().ifPresent(reason -> printer.line("the rest has none: " + reason.text()
                + (reason == ShardAnswer.Reason.GAVE_UP ? "" : ", which holds for every further tenant")));
        printer.line("search: %,d draws, %,d steps, %.3f s".formatted(trial.draws(), trial.steps(), trial.seconds()));
        printLoads(printer, "tenants of a slot", trial);
    }

    /** A histogram: how many slots have how many tenants. */
    private static void printLoads(Printer printer, String what, ShardsTrial trial) {
        int[] loads = trial.loads();
        printer.line("%s: from %,d to %,d, median %,d".formatted(what, loads[0], loads[loads.length - 1], median(loads)));
        int width = (loads[loads.length - 1] - loads[0]) / MOST_BARS + 1;
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("tenants", "slots", "share of slots"));
        for (int from = loads[0]; from <= loads[loads.length - 1]; from += width) {
            int least = from;
            long count = Arrays.stream(loads).filter(load -> load >= least && load < least + width).count();
            rows.add(List.of(
                    width == 1 ? "%,d".formatted(from) : "%,d-%,d".formatted(from, from + width - 1),
                    "%,d".formatted(count),
                    bar((double) count / loads.length)));
        }
        printer.table(rows);
    }

    private Map<String, Object> assignment(ShardsTrial trial) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("assigned", trial.tenants());
        map.put("refused", tenants - trial.tenants());
        map.put("bound", bound());
        trial.refused().ifPresent(reason -> map.put("reason", reason.name().toLowerCase(Locale.ROOT).replace('_', '-')));
        map.put("draws", trial.draws());
        map.put("steps", trial.steps());
        map.put("seconds", trial.seconds());
        map.put("sampled", trial.sampled());
        map.put("load", load(trial));
        return map;
    }

    private BigInteger bound() {
        return Combinations.packingBound(odds.slots(), odds.perTenant(), overlap.orElseThrow());
    }

    private static Map<String, Object> load(ShardsTrial trial) {
        int[] loads = trial.loads();
        return Map.of("min", loads[0], "median", median(loads), "max", loads[loads.length - 1]);
    }

    private static int median(int[] ascending) {
        return ascending[ascending.length / 2];
    }

    /** Fixed shards of k neighbours: whoever shares one slot shares all. What is left over at the end belongs to none. */
    private double plain(int shared) {
        double chance = 1.0 / (odds.slots() / odds.perTenant());
        return shared == odds.perTenant() ? chance : shared == 0 ? 1 - chance : 0;
    }

    private double unsharded(int shared) {
        return shared == odds.perTenant() ? 1 : 0;
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
