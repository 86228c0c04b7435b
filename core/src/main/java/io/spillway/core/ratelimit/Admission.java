package io.spillway.core.ratelimit;

import java.util.Optional;

/** What the front door says to one item. */
public sealed interface Admission {
    /** Where the tenant stands with its rate; empty when it has none. */
    Optional<RateDecision> rate();

    /** The item may come in. */
    record Admitted(Optional<RateDecision> rate) implements Admission {}

    /**
     * Over the tenant's rate and burst.
     *
     * @param retryAfterMillis when to come back, spread by chance
     */
    record OverRate(Optional<RateDecision> rate, long retryAfterMillis) implements Admission {}

    /**
     * Held back because of the tenant's own backlog.
     *
     * @param retryAfterMillis when to come back, spread by chance
     */
    record HeldBack(Optional<RateDecision> rate, long retryAfterMillis) implements Admission {}
}
