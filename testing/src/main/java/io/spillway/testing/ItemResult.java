package io.spillway.testing;

import java.time.Duration;
import java.util.Optional;

/**
 * What became of one item.
 *
 * @param state           how it ended
 * @param attempts        calls of the handler, those repeated after the death of a worker counted
 * @param firstAttemptAge age at the first call; empty without one
 * @param age             age at its end; empty if it is waiting
 * @param reason          why it is dropped or a dead letter, as in the header {@code spillway-dead-reason}, for example
 *                        {@code attempts-used-up}; empty otherwise
 * @param detail          error text of a dead letter; may be empty
 */
public record ItemResult(
        String tenant, String id, State state, int attempts, Optional<Duration> firstAttemptAge,
        Optional<Duration> age, String reason, String detail) {
    /** End of an item. */
    public enum State {
        /** The handler finished it. */
        DONE,
        /** It is a dead letter. */
        DEAD,
        /** A rule dropped it, for example the tenant's {@code ttl}. */
        DROPPED,
        /** It was not finished when the run ended. */
        WAITING
    }
}
