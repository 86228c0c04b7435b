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
     * @param detail           error text, not null
     */
    record Failed(OptionalLong retryAfterMillis, String detail) implements AttemptResult {}

    /**
     * The attempt failed, and every further one will.
     *
     * @param detail the handler's reason, not null
     */
    record FailedForGood(String detail) implements AttemptResult {}

    /**
     * The attempt was stopped at its deadline; whether it had its effect is unknown.
     *
     * @param ranMillis how long it had run, 0 or more
     */
    record TimedOut(long ranMillis) implements AttemptResult {}

    /** The attempt was stopped because the worker shuts down or lost the partition. It does not count. */
    record Interrupted() implements AttemptResult {}
}
