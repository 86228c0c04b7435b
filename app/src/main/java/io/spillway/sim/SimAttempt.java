package io.spillway.sim;

import io.spillway.core.engine.EngineAttempt;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.scheduling.SlotLease;

/** Attempt in virtual time, whose end is known from its start. */
final class SimAttempt extends EngineAttempt<SimulatedItem> {
    final Destination.Ending ending;
    final long startedNanos;

    SimAttempt(
            SimulatedItem item, SlotLease<SimulatedItem> slot, TenantPolicy policy, Destination.Ending ending,
            long startedNanos) {
        super(item, slot, policy);
        this.ending = ending;
        this.startedNanos = startedNanos;
    }
}
