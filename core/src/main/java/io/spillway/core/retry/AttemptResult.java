package io.spillway.core.retry;

import java.util.OptionalLong;

/** Result of an attempt at an item. */
public sealed interface AttemptResult {
    /** The handler succeeded. */
    record Succeeded() implements AttemptResult {}

    /**
     * The attempt failed; another one may succeed.
     *
     * @param retryAfterMillis how long the destination asks to wait, from now on; empty when it asks for nothing
     * @param detail           error text
     */
    record Failed(OptionalLong retryAfterMillis, String detail) implements AttemptResult {}

    /** The attempt failed, and every further one will, for the handler's reason. */
    record PermanentFailure(String detail) implements AttemptResult {}

    /**
     * The attempt was stopped at its deadline, after it had run for this time; whether it had its effect is unknown.
     */
    record TimedOut(long ranMillis) implements AttemptResult {}

    /** The attempt was stopped because the worker shuts down or lost the partition. It does not count. */
    record Interrupted() implements AttemptResult {}
}
