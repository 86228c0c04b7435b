package io.spillway.core.ratelimit;

import java.util.Optional;

/** Gateway's admission decision for one item. */
public sealed interface Admission {
    /** Returns the state of the tenant's rate limit; empty when it has no rate. */
    Optional<RateDecision> rate();

    /** The item is accepted. */
    record Admitted(Optional<RateDecision> rate) implements Admission {}

    /** The item is over the tenant's rate and burst. The wait before the next attempt is jittered, 0 or more. */
    record OverRate(Optional<RateDecision> rate, long retryAfterMillis) implements Admission {}

    /** The item is shed because of the tenant's backlog. The wait before the next attempt is jittered, 0 or more. */
    record HeldBack(Optional<RateDecision> rate, long retryAfterMillis) implements Admission {}
}
