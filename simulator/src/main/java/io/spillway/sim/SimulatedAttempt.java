package io.spillway.sim;

import io.spillway.core.engine.EngineAttempt;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptTimeout;
import io.spillway.core.scheduling.SlotLease;

/** Attempt of a {@link SimWorker}, whose end is known from its start. */
final class SimulatedAttempt extends EngineAttempt<SimulatedItem> {
    /** How it ends; null before its start. Owner: the worker. */
    Destination.Ending ending;

    SimulatedAttempt(
            SimulatedItem item, SlotLease<SimulatedItem> slot, TenantPolicy policy, AttemptTimeout timeout,
            long startedNanos) {
        super(item, slot, policy, timeout, startedNanos);
    }
}
