package io.spillway.sim.scenario;

import io.spillway.core.overload.ProtectionSettings;
import io.spillway.core.scheduling.DispatchSettings;
import io.spillway.core.sharding.ShuffleSharder;

/**
 * Workers and lanes of a simulation.
 *
 * @param workers          processes, each with its partitions of all lanes; 1 to {@code partitions}
 * @param dispatch         scheduler settings of each worker, not null
 * @param partitions       partitions of each lane
 * @param shardSeed        seed of the tenants' shards
 * @param stuckAfterMillis time without a finished item after which a partition with work is avoided, 1 or more
 * @param commitMillis     time between transactions of router and workers: the longest delay of a move
 * @param restartMillis    time from the death of a worker until its partitions are read again, 1 or more
 * @param killerDeaths     deaths of workers with an item marked after which it becomes a dead letter; 0 turns it off
 * @param protection       settings of the overload protection, not null
 */
public record SimulatedCluster(
        int workers,
        DispatchSettings dispatch,
        int partitions,
        long shardSeed,
        long stuckAfterMillis,
        long commitMillis,
        long restartMillis,
        int killerDeaths,
        ProtectionSettings protection) {
    /** @throws IllegalArgumentException when a number is out of its range, with its name in the message */
    public SimulatedCluster {
        require("partitions", partitions, 1, Math.min(1_000, ShuffleSharder.MAX_SLOTS));
        require("workers", workers, 1, partitions);
        require("stuckAfter", stuckAfterMillis, 1, ScenarioLimits.DAY_MILLIS);
        require("commitInterval", commitMillis, 1, 10_000);
        require("restart", restartMillis, 1, ScenarioLimits.DAY_MILLIS);
        require("killerDeaths", killerDeaths, 0, 100);
    }

    /** Returns the product's defaults: 12 partitions, transactions every 50 ms, a restart after 10 s. */
    public static SimulatedCluster of(int workers, int slots) {
        DispatchSettings dispatch = new DispatchSettings(slots, 0.2, 0.02, 4_000, 64L << 20, 100, true);
        return new SimulatedCluster(
                workers, dispatch, 12, 0, 10_000, 50, 10_000, 3, ProtectionSettings.DEFAULT);
    }

    private static void require(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " = " + value + ": must be from " + least + " to " + most);
        }
    }
}
