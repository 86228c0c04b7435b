package io.spillway.sim.scenario;

import io.spillway.core.overload.ProtectionSettings;
import io.spillway.core.scheduling.DispatchSettings;
import io.spillway.core.sharding.ShuffleSharder;

/**
 * The workers and the lanes between them.
 *
 * @param workers          processes, each with its partitions of all lanes; 1 to the partitions
 * @param dispatch         of each worker, not null
 * @param partitions       of each lane
 * @param shardSeed        of the tenants' shards
 * @param stuckAfterMillis a partition that has work and finishes nothing for so long is avoided, 1 or more
 * @param commitMillis     between transactions of router and workers: what is moved can be read that much later at most
 * @param restartMillis    from the death of a worker until its partitions are read again, 1 or more
 * @param killerDeaths     deaths of a worker with an item marked before it is a dead letter; 0 turns it off
 * @param protection       when tenants without a rate are contained, not null
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

    /** The defaults of the product: 12 partitions, transactions every 50 ms, a worker back after 10 s. */
    public static SimulatedCluster of(int workers, int slots) {
        return new SimulatedCluster(workers, new DispatchSettings(slots, 0.2, 0.02, 4_000, 64L << 20, 100, true), 12, 0, 10_000, 50,
                10_000, 3, ProtectionSettings.DEFAULT);
    }

    private static void require(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " = " + value + ": must be from " + least + " to " + most);
        }
    }
}
