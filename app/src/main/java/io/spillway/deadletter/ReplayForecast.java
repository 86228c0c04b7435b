package io.spillway.deadletter;

import io.spillway.core.item.DropReason;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.ReplayRules;
import io.spillway.core.routing.Route;
import io.spillway.core.routing.RoutingRules;
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

    /** Returns a forecast by the current policies and sweeps. */
    static ReplayForecast of(Replay replay, TenantPolicies policies, Sweeps sweeps) {
        return (letter, index) -> {
            if (!(letter.reading() instanceof ParsedRecord.Item item)) {
                return Result.WORK;
            }
            long dueMillis = ReplayRules.dueMillis(replay.startMillis(), index, replay.perSecond());
            TenantPolicy policy = policies.of(item.tenant());
            long coveredBeforeMillis = policy.sweepable()
                    ? sweeps.coveredBeforeMillis(
                            item.tenant(), item.workload(), policy.sweepMarginMillis(), dueMillis)
                    : RoutingRules.NO_SWEEP_MILLIS;
            Route route = ReplayRules
                    .whenDue(item.enqueuedAtMillis(), letter.record().timestamp(), replay.startMillis(), dueMillis,
                            policy, coveredBeforeMillis)
                    .orElse(Route.HOT);
            return !(route instanceof Route.Drop drop) ? Result.WORK
                    : drop.reason() == DropReason.SWEEP ? Result.SWEPT : Result.EXPIRED;
        };
    }
}
