package io.spillway.deadletter;

import io.spillway.policy.DropReason;
import io.spillway.policy.ReplayRules;
import io.spillway.policy.Route;
import io.spillway.policy.RoutingRules;
import io.spillway.policy.TenantPolicy;
import io.spillway.topic.ItemReading;
import io.spillway.topic.Sweeps;
import io.spillway.topic.TenantPolicies;

/** Says what the delay stage will make of a dead letter that is taken, as far as time decides. */
@FunctionalInterface
public interface Forecast {
    /** No more than that it is taken. */
    Forecast NONE = (letter, index) -> Fate.WORK;

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
    static Forecast of(Replay replay, TenantPolicies policies, Sweeps sweeps) {
        return (letter, index) -> {
            if (!(letter.reading() instanceof ItemReading.Item item)) {
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
