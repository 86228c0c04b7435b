package io.spillway.sim.scenario;

import io.spillway.core.overload.ProtectionSettings;
import io.spillway.core.sharding.ShuffleSharder;
import java.util.List;

/**
 * Workers and lanes of a simulation.
 *
 * @param workers          processes, each with its partitions of all lanes; 1 to {@link ScenarioLimits#MAX_WORKERS};
 *                         copied
 * @param partitions       partitions of each lane
 * @param shardSeed        seed of the tenants' shards
 * @param stuckAfterMillis time without a finished item after which a partition with work is avoided, 1 or more
 * @param commitMillis     time between transactions of router and workers: the longest delay of a move
 * @param restartMillis    time from the death of a worker until it is back, 1 or more
 * @param killerDeaths     deaths of workers with an item marked after which it becomes a dead letter; 0 turns it off
 * @param protection       settings of the overload protection
 */
public record SimulatedCluster(
        List<SimulatedWorker> workers, int partitions, long shardSeed, long stuckAfterMillis,
        long commitMillis, long restartMillis, int killerDeaths, ProtectionSettings protection) {
    /** About the time between transactions of a running system. */
    public static final long USUAL_COMMIT_MILLIS = 50;
    /** About the time that a worker needs to be back. */
    public static final long USUAL_RESTART_MILLIS = 10_000;
    /** Most partitions of a lane. */
    public static final int MOST_PARTITIONS = Math.min(1_000, ShuffleSharder.MAX_SLOTS);

    /** @throws IllegalArgumentException when a number is out of its range, with its name in the message */
    public SimulatedCluster {
        ScenarioLimits.require("partitions", partitions, 1, MOST_PARTITIONS);
        workers = List.copyOf(workers);
        ScenarioLimits.require("workers", workers.size(), 1, ScenarioLimits.MAX_WORKERS);
        ScenarioLimits.require("stuckAfter", stuckAfterMillis, 1, ScenarioLimits.DAY_MILLIS);
        ScenarioLimits.require("commitInterval", commitMillis, 1, 10_000);
        ScenarioLimits.require("restart", restartMillis, 1, ScenarioLimits.DAY_MILLIS);
        ScenarioLimits.require("killerDeaths", killerDeaths, 0, 100);
    }

    /** Returns the slots of all workers. */
    public int slots() {
        return workers.stream().mapToInt(worker -> worker.dispatch().slots()).sum();
    }
}
