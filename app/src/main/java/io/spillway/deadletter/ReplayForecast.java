package io.spillway.deadletter;

import io.spillway.core.item.DropReason;
import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.ItemTimes;
import io.spillway.core.routing.ReplayRules;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;

/** Forecast of whether the delay stage will drop a replayed dead letter because of its age. */
@FunctionalInterface
public interface ReplayForecast {
    /** Assumes that nothing is dropped. */
    ReplayForecast NONE = (letter, index) -> Result.WORK;

    /** Expected result of the delay stage. */
    enum Result {
        /** Moved to a worker's lane, or dead-lettered again. */
        WORK,
        /** Dropped by a sweep. */
        SWEPT,
        /** Dropped because it is past its time to live. */
        EXPIRED
    }

    /** Returns the forecast for the dead letter with this index in the run, from 0. */
    Result of(DeadLetter letter, long index);

    /** Returns a forecast by the current policies and sweeps: age counts from the replay, no attempt was made since. */
    static ReplayForecast of(Replay replay, TenantPolicies policies, Sweeps sweeps) {
        ItemEnds ends = new ItemEnds(sweeps::coveredBeforeMillis, ItemEnds.NO_FAILURES, () -> 0);
        return (letter, index) -> {
            if (!(letter.reading() instanceof ParsedRecord.Item item)) {
                return Result.WORK;
            }
            long dueMillis = ReplayRules.dueMillis(replay.startMillis(), index, replay.perSecond());
            ItemTimes times = ItemTimes
                    .entered(item.enqueuedAtMillis(), letter.record().timestamp(), dueMillis)
                    .deliverAt(item.deliverAtMillis(), dueMillis).replayedAt(replay.startMillis(), dueMillis)
                    .waited(dueMillis);
            Route route = ends.now(item.tenant(), item.workload(), times,
                    policies.of(item.tenant(), item.workload()), dueMillis).orElse(Route.HOT);
            return !(route instanceof Route.Drop drop) ? Result.WORK
                    : drop.reason() == DropReason.SWEEP ? Result.SWEPT : Result.EXPIRED;
        };
    }
}
