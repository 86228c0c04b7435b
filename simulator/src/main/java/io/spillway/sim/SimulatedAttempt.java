package io.spillway.sim;

import io.spillway.core.engine.Claims;
import io.spillway.core.engine.EngineAttempt;
import io.spillway.core.engine.Step;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptTimeout;
import io.spillway.core.scheduling.SlotLease;
import io.spillway.sim.scenario.SimulatedTime;

/** Attempt of a {@link SimWorker}, whose end is known from its start. */
final class SimulatedAttempt extends EngineAttempt<SimulatedItem> {
    /** How it ends; null before its start. Owner: the worker. */
    Destination.Ending ending;

    SimulatedAttempt(
            SimulatedItem item, SlotLease<SimulatedItem> slot, TenantPolicy policy, AttemptTimeout timeout,
            long startedNanos) {
        super(item, slot, policy, timeout, startedNanos);
    }

    /** Returns its claim when it died with its worker: its item is due when the lease has ended. */
    Step.Move<SimulatedItem, SimulatedAttempt> lostClaim() {
        long endMillis = SimulatedTime.epochMillis(startedNanos) + timeout.millis();
        return new Step.Move<>(item, Lane.DELAY, LaneReason.LOST, item.moves, endMillis + Claims.MARGIN_MILLIS);
    }
}
