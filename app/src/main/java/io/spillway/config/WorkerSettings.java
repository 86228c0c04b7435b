package io.spillway.config;

import java.time.Duration;

/**
 * The worker.
 *
 * @param id                 its name, the same after a restart; empty takes the one in the data directory
 * @param slots              most handlers at once
 * @param reserve            share of the slots kept for tenants below their fair share
 * @param agedTrickle        share of the work that aged items get even when the live lanes are not caught up
 * @param readAheadItems     most items waiting in memory for each lane
 * @param readAheadBytes     most bytes of them
 * @param commitInterval     between transactions
 * @param drainGrace         how long handlers may go on when their partition is taken away
 * @param leaseMax           longest an attempt can be renewed to
 * @param transactionTimeout after which the cluster aborts what a dead worker left open
 * @param killerDeaths       deaths of a worker with an item marked before it is a dead letter; 0 turns it off
 */
public record WorkerSettings(
        String id,
        int slots,
        double reserve,
        double agedTrickle,
        int readAheadItems,
        int readAheadBytes,
        Duration commitInterval,
        Duration drainGrace,
        Duration leaseMax,
        Duration transactionTimeout,
        int killerDeaths) {
    public WorkerSettings {
        if (!id.matches("[A-Za-z0-9._-]{0,100}")) {
            throw new InvalidSettingException("worker.id", id, "must be at most 100 of A-Z a-z 0-9 . _ -");
        }
        InvalidSettingException.requireRange("worker.slots", slots, 1, 100_000);
        requireShare("worker.reserve", reserve, 0.9);
        requireShare("worker.agedTrickle", agedTrickle, 0.5);
        InvalidSettingException.requireRange("worker.readAhead.items", readAheadItems, 10, 1_000_000);
        InvalidSettingException.requireRange("worker.readAhead.bytes", readAheadBytes, 1_048_576, Integer.MAX_VALUE);
        requireDuration("worker.commitInterval", commitInterval, 1, 10_000);
        requireDuration("worker.drainGrace", drainGrace, 0, 20_000);
        requireDuration("worker.leaseMax", leaseMax, 1_000, 86_400_000);
        requireDuration("worker.transactionTimeout", transactionTimeout, 1_000, 900_000);
        InvalidSettingException.requireRange("killer.deaths", killerDeaths, 0, 100);
    }

    private static void requireShare(String key, double value, double max) {
        if (!(value >= 0 && value <= max)) {
            throw new InvalidSettingException(key, value, "must be 0 to " + max);
        }
    }

    private static void requireDuration(String key, Duration value, long minMillis, long maxMillis) {
        if (value.toMillis() < minMillis || value.toMillis() > maxMillis) {
            throw new InvalidSettingException(key, value.toMillis() + "ms", "must be " + minMillis + "ms to " + maxMillis + "ms");
        }
    }
}
