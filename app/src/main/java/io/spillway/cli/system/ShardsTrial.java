package io.spillway.cli.system;

import io.spillway.core.sharding.OverlapCensus;
import io.spillway.core.sharding.Shard;
import io.spillway.core.sharding.ShardRegistry;
import io.spillway.core.sharding.ShardResult;
import io.spillway.core.sharding.ShuffleSharder;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Gives tenants shards, and counts what they share.
 *
 * @param shards     those given, one a tenant
 * @param pairs      pairs of tenants by slots shared, from 0 to the slots of a tenant
 * @param sampled    whether the pairs are a sample; else they are all
 * @param loads      tenants of each slot, ascending
 * @param effort     what the search of a bounded assignment took; 0 for the draw
 * @param refused    why the first tenant without a shard has none
 * @param seconds    what it took to give the shards
 */
record ShardsTrial(
        int[][] shards,
        long[] pairs,
        boolean sampled,
        int[] loads,
        long draws,
        long steps,
        Optional<ShardResult.Reason> refused,
        double seconds) {
    private static final double MOST_STEPS = 5e8;
    private static final int SAMPLE = 5_000_000;
    private static final long NOTE_NANOS = 1_000_000_000;
    /** A search that was given up says nothing of the next, but it took long. */
    private static final int MOST_GIVEN_UP = 3;

    /** Shards drawn for each tenant alone. */
    static ShardsTrial drawn(int slots, int size, int tenants, long seed, Consumer<String> progress) {
        ShuffleSharder sharder = new ShuffleSharder(slots, seed);
        int[][] shards = new int[tenants][];
        long startNanos = System.nanoTime();
        Arrays.setAll(shards, i -> sharder.shard(tenant(i), size));
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        return counted(slots, size, shards, tenants, 0, Optional.empty(), seconds, seed, progress);
    }

    /** Shards searched for, such that no two share more than the bound. */
    static ShardsTrial searched(int slots, int size, int overlap, int tenants, long seed, Consumer<String> progress) {
        ShardRegistry book = new ShardRegistry(slots, overlap);
        int[][] shards = new int[tenants][];
        int count = 0;
        long draws = 0;
        long steps = 0;
        int givenUp = 0;
        Optional<ShardResult.Reason> refused = Optional.empty();
        long startNanos = System.nanoTime();
        long noteNanos = startNanos;
        // A tenant without a shard is followed by none with one, unless its search was given up: what is left suits all alike.
        for (int i = 0; i < tenants && (refused.isEmpty() || givenUp > 0 && givenUp < MOST_GIVEN_UP); i++) {
            ShardResult answer = book.assign(tenant(i), size, seed);
            draws += answer.effort().draws();
            steps += answer.effort().steps();
            switch (answer) {
                case ShardResult.Assigned(Shard shard, ShardResult.Effort effort) -> shards[count++] = shard.toArray();
                case ShardResult.Refused(ShardResult.Reason reason, ShardResult.Effort effort) -> {
                    refused = refused.or(() -> Optional.of(reason));
                    givenUp = reason == ShardResult.Reason.GAVE_UP ? givenUp + 1 : MOST_GIVEN_UP;
                }
            }
            if (System.nanoTime() - noteNanos >= NOTE_NANOS) {
                noteNanos = System.nanoTime();
                progress.accept("assigned %,d of %,d ...".formatted(count, tenants));
            }
        }
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        return counted(slots, size, Arrays.copyOf(shards, count), draws, steps, refused, seconds, seed, progress);
    }

    /** Tenants with a shard. */
    int tenants() {
        return shards.length;
    }

    /** Pairs that were counted. */
    long pairsInAll() {
        return Arrays.stream(pairs).sum();
    }

    private static ShardsTrial counted(
            int slots, int size, int[][] shards, long draws, long steps, Optional<ShardResult.Reason> refused,
            double seconds, long seed, Consumer<String> progress) {
        int[] loads = new int[slots];
        for (int[] shard : shards) {
            for (int slot : shard) {
                loads[slot]++;
            }
        }
        Arrays.sort(loads);
        boolean sampled = OverlapCensus.steps(shards.length, size, slots) > MOST_STEPS;
        long[] pairs = sampled ? OverlapCensus.sampled(shards, SAMPLE, seed) : census(slots, shards, progress);
        return new ShardsTrial(shards, Arrays.copyOf(pairs, size + 1), sampled, loads, draws, steps, refused, seconds);
    }

    private static long[] census(int slots, int[][] shards, Consumer<String> progress) {
        OverlapCensus census = new OverlapCensus(slots, shards);
        long noteNanos = System.nanoTime();
        while (census.countNext()) {
            if (System.nanoTime() - noteNanos >= NOTE_NANOS) {
                noteNanos = System.nanoTime();
                progress.accept("compared %,d of %,d tenants with all others ...".formatted(census.done(), shards.length));
            }
        }
        return census.pairs();
    }

    private static String tenant(int number) {
        return "tenant-" + number;
    }
}
