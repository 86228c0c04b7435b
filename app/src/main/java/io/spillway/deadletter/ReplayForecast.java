package io.spillway.deadletter;

import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.ItemTimes;
import io.spillway.core.routing.ReplayRules;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;

/** Forecast of whether the delay stage will drop a replayed dead letter. */
@FunctionalInterface
public interface ReplayForecast {
    /** Assumes that nothing is dropped. */
    ReplayForecast NONE = (letter, index) -> Result.WORK;

    /** Expected result of the delay stage. */
    enum Result {
        /** Moved to a worker's lane. */
        WORK,
        /** Dropped by a sweep. */
        SWEPT
    }

    /** Returns the forecast for the dead letter with this index in the run, from 0. */
    Result of(DeadLetter letter, long index);

    /** Returns a forecast by the current policies and sweeps. The age counts from the due time, so no limit is over. */
    static ReplayForecast of(Replay replay, TenantPolicies policies, Sweeps sweeps) {
        ItemEnds ends = new ItemEnds(sweeps::coveredBeforeMillis, ItemEnds.NO_FAILURES, () -> 0);
        return (letter, index) -> {
            if (!(letter.reading() instanceof ParsedRecord.Item item)) {
                return Result.WORK;
            }
            long dueMillis = ReplayRules.dueMillis(replay.startMillis(), index, replay.perSecond());
            ItemTimes times = ItemTimes
                    .entered(item.enqueuedAtMillis(), letter.record().timestamp(), dueMillis)
                    .deliverAt(item.deliverAtMillis(), dueMillis).replayedAt(dueMillis, dueMillis)
                    .waited(dueMillis);
            Route route = ends.now(item.tenant(), item.workload(), times,
                    policies.of(item.tenant(), item.workload()), dueMillis).orElse(Route.HOT);
            return route instanceof Route.Drop ? Result.SWEPT : Result.WORK;
        };
    }
}
