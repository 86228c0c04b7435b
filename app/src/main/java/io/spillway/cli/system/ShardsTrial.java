package io.spillway.cli.system;

import io.spillway.cli.terminal.PeriodicNote;
import io.spillway.core.sharding.OverlapCensus;
import io.spillway.core.sharding.Shard;
import io.spillway.core.sharding.ShardRegistry;
import io.spillway.core.sharding.ShardResult;
import io.spillway.core.sharding.ShuffleSharder;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * Shards of sample tenants, with their overlaps.
 *
 * @param shards  one per tenant
 * @param pairs   pairs of tenants by the number of shared slots, from 0 to the slots of a tenant
 * @param sampled whether the pairs are a sample; otherwise they are all pairs
 * @param loads   tenants of each slot, ascending
 * @param draws   draws of the search; 0 without a maximum overlap
 * @param steps   steps of the search; 0 without a maximum overlap
 * @param refused reason why the first tenant without a shard has none
 * @param seconds duration of the draw or search
 */
record ShardsTrial(
        int[][] shards, long[] pairs, boolean sampled, int[] loads, long draws, long steps,
        Optional<ShardResult.Reason> refused, double seconds) {
    private static final double MAX_STEPS = 5e8;
    private static final int SAMPLE = 5_000_000;
    /** After a search that gave up, the next one can succeed, but each takes long. */
    private static final int MAX_GIVEN_UP = 3;

    /** Draws a shard for each tenant independently. */
    static ShardsTrial drawn(int slots, int size, int tenants, long seed, PeriodicNote progress) {
        ShuffleSharder sharder = new ShuffleSharder(slots, seed);
        int[][] shards = new int[tenants][];
        long startNanos = System.nanoTime();
        Arrays.setAll(shards, i -> sharder.shard(tenant(i), size));
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        return counted(slots, size, shards, tenants, 0, Optional.empty(), seconds, seed, progress);
    }

    /** Searches for shards of which no two share more than {@code overlap} slots. */
    static ShardsTrial searched(int slots, int size, int overlap, int tenants, long seed, PeriodicNote progress) {
        ShardRegistry registry = new ShardRegistry(slots, overlap);
        int[][] shards = new int[tenants][];
        int count = 0;
        long draws = 0;
        long steps = 0;
        int givenUp = 0;
        Optional<ShardResult.Reason> refused = Optional.empty();
        long startNanos = System.nanoTime();
        // All tenants have the same options: after a refusal no other gets a shard, unless the search gave up.
        for (int i = 0; i < tenants && (refused.isEmpty() || givenUp > 0 && givenUp < MAX_GIVEN_UP); i++) {
            ShardResult answer = registry.assign(tenant(i), size, seed);
            draws += answer.effort().draws();
            steps += answer.effort().steps();
            switch (answer) {
                case ShardResult.Assigned(Shard shard, ShardResult.Effort effort) -> shards[count++] = shard.toArray();
                case ShardResult.Refused(ShardResult.Reason reason, ShardResult.Effort effort) -> {
                    refused = refused.or(() -> Optional.of(reason));
                    givenUp = reason == ShardResult.Reason.GAVE_UP ? givenUp + 1 : MAX_GIVEN_UP;
                }
            }
            int assigned = count;
            progress.offer(() -> String.format(Locale.ROOT, "Assigned %,d of %,d ...", assigned, tenants));
        }
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        return counted(slots, size, Arrays.copyOf(shards, count), draws, steps, refused, seconds, seed, progress);
    }

    /** Returns the number of tenants with a shard. */
    int tenants() {
        return shards.length;
    }

    /** Returns the number of pairs that were counted. */
    long pairsInAll() {
        return Arrays.stream(pairs).sum();
    }

    private static ShardsTrial counted(
            int slots, int size, int[][] shards, long draws, long steps, Optional<ShardResult.Reason> refused,
            double seconds, long seed, PeriodicNote progress) {
        int[] loads = new int[slots];
        for (int[] shard : shards) {
            for (int slot : shard) {
                loads[slot]++;
            }
        }
        Arrays.sort(loads);
        boolean sampled = OverlapCensus.steps(shards.length, size, slots) > MAX_STEPS;
        long[] pairs = sampled ? OverlapCensus.sampled(shards, SAMPLE, seed) : census(slots, shards, progress);
        return new ShardsTrial(shards, Arrays.copyOf(pairs, size + 1), sampled, loads, draws, steps, refused, seconds);
    }

    private static long[] census(int slots, int[][] shards, PeriodicNote progress) {
        OverlapCensus census = new OverlapCensus(slots, shards);
        while (census.countNext()) {
            progress.offer(() ->
                    String.format(Locale.ROOT,
                            "Compared %,d of %,d tenants with all others ...",
                            census.done(), shards.length));
        }
        return census.pairs();
    }

    private static String tenant(int number) {
        return "tenant-" + number;
    }
}
