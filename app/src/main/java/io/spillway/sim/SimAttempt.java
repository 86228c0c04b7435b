package io.spillway.sim;

import io.spillway.engine.EngineAttempt;
import io.spillway.policy.Start;
import io.spillway.policy.TenantPolicy;

/** An attempt in virtual time, whose end is known from its start. */
final class SimAttempt extends EngineAttempt<Item> {
    final Destination.Ending ending;
    final long startedNanos;

    SimAttempt(Item item, Start<Item> slot, TenantPolicy policy, Destination.Ending ending, long startedNanos) {
        super(item, slot, policy);
        this.ending = ending;
        this.startedNanos = startedNanos;
    }
}
