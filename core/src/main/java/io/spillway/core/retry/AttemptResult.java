package io.spillway.core.retry;

import java.util.OptionalLong;

/** Result of an attempt at an item. */
public sealed interface AttemptResult {
    /** The handler succeeded. */
    record Succeeded() implements AttemptResult {}

    /**
     * The attempt failed; another one may succeed. Whose fault it is follows from the other items.
     *
     * @param retryAfterMillis how long the destination asks to wait, from now on; empty when it asks for nothing
     * @param detail           error text
     */
    record Failed(OptionalLong retryAfterMillis, String detail) implements AttemptResult {}

    /**
     * The attempt failed, and it was the destination's fault.
     *
     * @param retryAfterMillis how long the destination asks to wait, from now on; empty when it asks for nothing
     * @param detail           error text
     */
    record Unavailable(OptionalLong retryAfterMillis, String detail) implements AttemptResult {}

    /** The attempt failed, and every further one will, for the handler's reason. */
    record PermanentFailure(String detail) implements AttemptResult {}

    /** The handler put the item off by this time, from now on. It does not count. */
    record Deferred(long afterMillis) implements AttemptResult {}

    /**
     * The attempt was stopped at its deadline, after it had run for this time; whether it had its effect is unknown.
     */
    record TimedOut(long ranMillis) implements AttemptResult {}

    /** The attempt was stopped because the worker shuts down or lost the partition. It does not count. */
    record Interrupted() implements AttemptResult {}

    /** Returns whether the destination did not do its work. */
    default boolean isFailure() {
        return this instanceof Failed || this instanceof Unavailable || this instanceof TimedOut;
    }
}
