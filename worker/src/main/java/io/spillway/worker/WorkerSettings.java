package io.spillway.worker;

import io.spillway.core.item.PoolName;
import io.spillway.core.scheduling.DispatchSettings;
import io.spillway.core.settings.AllowedRange;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import java.time.Duration;

/** Settings of the worker: its read-ahead, its concurrency, its transactions, and how it stops. */
public record WorkerSettings(
        @Setting(key = "worker.id", defaultNote = "in the data directory", allowed = "at most 100 of A-Z a-z 0-9 . _ -",
                doc = "Name of this worker. It must stay the same after a restart.") String id,
        @Setting(key = "worker.pool", defaultValue = PoolName.SHARED, allowed = PoolName.RULE,
                doc = "Pool of this worker. It handles only items of tenants that are isolated with this pool; in the"
                        + " pool `shared`, those of all other tenants.") String pool,
        @Setting(key = "worker.slots", defaultValue = "50", allowed = "1 to 100000",
                doc = "Maximum number of handler calls that run at the same time.") int slots,
        @Setting(key = "worker.reserve", defaultValue = "0.2", allowed = "0 to 0.9",
                doc = "Share of the slots that is not lent to tenants beyond their fair share, unless slots come back"
                        + " soon. What quiet tenants needed lately is never lent, up to this share.")
                double reserve,
        @Setting(key = "worker.overflowTrickle", defaultValue = "0.05", allowed = "0 to 0.5",
                doc = "Share of the work that overflow items get even while the hot lane has a backlog.")
                double overflowTrickle,
        @Setting(key = "worker.agedTrickle", defaultValue = "0.02", allowed = "0 to 0.5",
                doc = "Share of the work that aged items get even while the hot and overflow lanes have a backlog.")
                double agedTrickle,
        @Setting(key = "worker.readAhead.items", defaultValue = "4000", allowed = "10 to 1000000",
                doc = "Items that wait in memory, for each lane. Each partition may have a fiftieth of them and one"
                        + " poll in any case.") int readAheadItems,
        @Setting(key = "worker.readAhead.bytes", defaultValue = "67108864", allowed = "1048576 to 2147483647",
                unit = "bytes", doc = "Maximum size of the items in memory, for each lane: key, value, headers and the"
                        + " objects around them, of items that wait, run or may have killed a worker.")
                int readAheadBytes,
        @Setting(key = "worker.commitInterval", defaultValue = "100ms", allowed = "1ms to 10000ms",
                doc = "Longest time between two transactions of the worker. They are more frequent as long as they are"
                        + " cheap.") Duration commitInterval,
        @Setting(key = "worker.drainGrace", defaultValue = "2m", allowed = "0ms to 86400000ms",
                doc = "Time for running handlers to finish when the worker stops. Other workers have its partitions"
                        + " meanwhile.")
                Duration drainGrace,
        @Setting(key = "worker.leaseMax", defaultValue = "10m", allowed = "1000ms to 86400000ms",
                doc = "Maximum duration of an attempt whose handler extends its lease.") Duration leaseMax,
        @Setting(key = "worker.transactionTimeout", defaultValue = "10s", allowed = "1000ms to 900000ms",
                doc = "Time after which the cluster aborts the open transaction of a worker that died.")
                Duration transactionTimeout,
        @Setting(key = "worker.kafkaTimeout", defaultValue = "5m", allowed = "1000ms to 86400000ms",
                doc = "Time that calls to Kafka are repeated while they fail. Then the worker ends. It is not ready"
                        + " after 10 s.")
                Duration kafkaTimeout,
        @Setting(key = "worker.lateAfter", defaultValue = "5m", allowed = "1000ms to 86400000ms",
                doc = "Age at which an item without an attempt makes its tenant late, for the metric"
                        + " `spillway_tenants_late`.")
                Duration lateAfter,
        @Setting(key = "worker.drillKills", defaultValue = "false", allowed = "true or false",
                doc = "Whether `drill kill` and `drill killer` may end this process.") boolean drillKills,
        @Setting(key = "killer.deaths", defaultValue = "3", allowed = "0 to 100",
                doc = "Number of worker deaths after which the item that they have in common becomes a dead letter."
                        + " In all but the first, no other suspect ran beside it. 0: never.")
                int killerDeaths) {
    /** Longest expected wait in hot behind items of the same tenant. */
    private static final long HOT_BUFFER_MILLIS = 100;

    public WorkerSettings {
        if (!id.matches("[A-Za-z0-9._-]{0,100}")) {
            throw new InvalidSettingException("worker.id", id, "must be at most 100 of A-Z a-z 0-9 . _ -");
        }
        if (!PoolName.isValid(pool)) {
            throw new InvalidSettingException("worker.pool", pool, "must be " + PoolName.RULE);
        }
        AllowedRange.check(WorkerSettings.class, id, pool, slots, reserve, overflowTrickle, agedTrickle, readAheadItems,
                readAheadBytes, commitInterval, drainGrace, leaseMax, transactionTimeout, kafkaTimeout, lateAfter,
                drillKills, killerDeaths);
    }

    /** Returns the settings of the scheduler. */
    public DispatchSettings dispatch() {
        return new DispatchSettings(
                slots, reserve, overflowTrickle, agedTrickle, readAheadItems, readAheadBytes, HOT_BUFFER_MILLIS, true);
    }
}
