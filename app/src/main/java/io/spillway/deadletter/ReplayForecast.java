package io.spillway.deadletter;

import io.spillway.core.item.DropReason;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.ReplayRules;
import io.spillway.core.routing.Route;
import io.spillway.core.routing.RoutingRules;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;

/** Says what the delay stage will make of a dead letter that is taken, as far as time decides. */
@FunctionalInterface
public interface ReplayForecast {
    /** No more than that it is taken. */
    ReplayForecast NONE = (letter, index) -> Fate.WORK;

    /** What will become of it. */
    enum Fate {
        /** It goes to a worker's lane, or it is a dead letter again. */
        WORK,
        /** A sweep drops it. */
        SWEPT,
        /** It is dropped past its time to live. */
        EXPIRED
    }

    /**
     * What will become of a dead letter.
     *
     * @param index which one of the run, from 0
     */
    Fate of(DeadLetter letter, long index);

    /** By the policies and sweeps that are known now. */
    static ReplayForecast of(Replay replay, TenantPolicies policies, Sweeps sweeps) {
        return (letter, index) -> {
            if (!(letter.reading() instanceof ParsedRecord.Item item)) {
                return Fate.WORK;
            }
            long dueMillis = ReplayRules.dueMillis(replay.startMillis(), index, replay.perSecond());
            TenantPolicy policy = policies.of(item.tenant());
            long sweepStartMillis = policy.sweepable()
                    ? sweeps.coveredBeforeMillis(item.tenant(), dueMillis)
                    : RoutingRules.NO_SWEEP_MILLIS;
            return ReplayRules.whenDue(item.enqueuedAtMillis(), replay.startMillis(), dueMillis, policy, sweepStartMillis)
                            .orElse(Route.HOT) instanceof Route.Drop drop
                    ? (drop.reason() == DropReason.SWEEP ? Fate.SWEPT : Fate.EXPIRED)
                    : Fate.WORK;
        };
    }
}
