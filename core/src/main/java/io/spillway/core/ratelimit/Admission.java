package io.spillway.core.ratelimit;

import io.spillway.core.policy.PolicyField;
import java.util.Optional;

/** Gateway's admission decision for one item. */
public sealed interface Admission {
    /** Returns the state of the tenant's rate limit at the gateways; empty when it has none. */
    Optional<RateDecision> rate();

    /** The item is accepted. */
    record Admitted(Optional<RateDecision> rate) implements Admission {}

    /**
     * The item is over the tenant's rate and burst at the gateways.
     *
     * @param limit            {@code admissionRate} or {@code growth}
     * @param retryAfterMillis wait before the next attempt, jittered, 0 or more
     */
    record OverRate(Optional<RateDecision> rate, PolicyField limit, long retryAfterMillis) implements Admission {}

    /**
     * The item is shed because of the tenant's backlog.
     *
     * @param limit            {@code maxDrain} or {@code maxDepth}: the one that admits less
     * @param share            admitted share of the offers, above 0 and below 1
     * @param retryAfterMillis wait before the next attempt, jittered, 0 or more
     */
    record HeldBack(Optional<RateDecision> rate, PolicyField limit, Backlog backlog, double share,
            long retryAfterMillis) implements Admission {}
}
