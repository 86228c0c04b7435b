package io.spillway.sim;

import io.spillway.core.engine.Claims;
import io.spillway.core.engine.EngineAttempt;
import io.spillway.core.engine.Step;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptTimeout;
import io.spillway.core.retry.NextStep;
import io.spillway.core.scheduling.SlotLease;
import io.spillway.sim.scenario.SimulatedTime;
import java.util.Optional;

/** Attempt of a {@link SimWorker}, whose end is known from its start. */
final class SimulatedAttempt extends EngineAttempt<SimulatedItem> {
    /** How it ends; null before its start. Owner: the worker. */
    Destination.Ending ending;

    SimulatedAttempt(
            SimulatedItem item, SlotLease<SimulatedItem> slot, TenantPolicy policy, AttemptTimeout timeout,
            long startedNanos) {
        super(item, slot, policy, timeout, startedNanos);
    }

    /** Returns what its claimed item becomes if it is not done. */
    Step<SimulatedItem, SimulatedAttempt> settled(NextStep next) {
        return switch (next) {
            case NextStep.Delay delay -> new Step.Retry<>(this, delay);
            case NextStep.PutOff later ->
                    new Step.Move<>(item, Lane.DELAY, LaneReason.LATER, item.moves, later.dueMillis());
            case NextStep.DeadLetter dead ->
                    new Step.DeadLetter<>(item, Optional.of(this), dead.why(), dead.attempts());
            case NextStep.Done done -> throw new IllegalStateException("a done item leaves nothing");
            case NextStep.GiveBack back -> throw new IllegalStateException("no attempt is interrupted");
        };
    }

    /** Returns its claim when it died with its worker: its item is due when the lease has ended. */
    Step.Move<SimulatedItem, SimulatedAttempt> lostClaim() {
        long endMillis = SimulatedTime.epochMillis(startedNanos) + timeout.millis();
        return new Step.Move<>(item, Lane.DELAY, LaneReason.LOST, item.moves, endMillis + Claims.MARGIN_MILLIS);
    }
}
