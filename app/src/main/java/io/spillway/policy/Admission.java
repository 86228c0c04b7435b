package io.spillway.policy;

import java.util.Optional;

/** What the front door says to one item. */
public sealed interface Admission {
    /** Where the tenant stands with its rate; empty when it has none. */
    Optional<RateReading> rate();

    /** The item may come in. */
    record Admitted(Optional<RateReading> rate) implements Admission {}

    /**
     * Over the tenant's rate and burst.
     *
     * @param retryAfterMillis when to come back, spread by chance
     */
    record OverRate(Optional<RateReading> rate, long retryAfterMillis) implements Admission {}

    /**
     * Held back because of the tenant's own backlog.
     *
     * @param retryAfterMillis when to come back, spread by chance
     */
    record HeldBack(Optional<RateReading> rate, long retryAfterMillis) implements Admission {}
}
