package io.spillway.core.retry;

import java.util.OptionalLong;

/** How an attempt at an item ended. */
public sealed interface AttemptResult {
    /** The handler did it. */
    record Succeeded() implements AttemptResult {}

    /**
     * It failed and may succeed another time.
     *
     * @param retryAfterMillis how long the destination asks to be left alone, from now on; empty when it says nothing
     * @param detail           what went wrong, for people; not null
     */
    record Failed(OptionalLong retryAfterMillis, String detail) implements AttemptResult {}

    /**
     * It failed and will fail every time.
     *
     * @param detail the handler's reason, for people; not null
     */
    record FailedForGood(String detail) implements AttemptResult {}

    /**
     * It was stopped at its deadline: whether it had its effect is not known.
     *
     * @param ranMillis how long it had run, 0 or more
     */
    record TimedOut(long ranMillis) implements AttemptResult {}

    /** It was stopped because the worker shuts down or lost the partition, which is not the item's doing. */
    record Interrupted() implements AttemptResult {}
}
