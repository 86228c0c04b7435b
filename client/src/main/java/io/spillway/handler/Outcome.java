package io.spillway.handler;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** Result of one attempt. Immutable; no argument may be null. */
public sealed interface Outcome {
    /** The item is finished. It is delivered again only if the worker crashes before its next commit. */
    record Done() implements Outcome {}

    /**
     * The attempt failed; a later one may succeed. When the tenant's {@code attempts} are used up, the item becomes a
     * dead letter instead.
     *
     * @param after  shortest wait before the next attempt, to which the tenant's backoff is added; negative counts as
     *               zero, and the sum is at most the tenant's {@code backoffCap}. An exhausted retry budget can
     *               lengthen it. Empty: the backoff alone
     * @param detail cause of the failure, for operators; a dead letter carries up to 4,000 printable characters of it
     */
    record Retry(Optional<Duration> after, String detail) implements Outcome {
        public Retry {
            Objects.requireNonNull(after, "after");
            Objects.requireNonNull(detail, "detail");
        }
    }

    /**
     * The attempt failed and any later one would fail too: the item becomes a dead letter immediately.
     *
     * @param reason cause, for operators; the dead letter carries up to 4,000 printable characters of it
     */
    record Dead(String reason) implements Outcome {
        public Dead {
            Objects.requireNonNull(reason, "reason");
        }
    }

    /** Returns {@link Done}: the attempt finished the item. */
    static Outcome done() {
        return new Done();
    }

    /** Returns a {@link Retry} after the tenant's backoff; the detail is the cause of the failure. */
    static Outcome retry(String detail) {
        return new Retry(Optional.empty(), detail);
    }

    /** Returns a {@link Retry} after at least this wait; the detail is the cause of the failure. */
    static Outcome retry(Duration after, String detail) {
        return new Retry(Optional.of(after), detail);
    }

    /** Returns {@link Dead}: the item must not be attempted again, for this reason. */
    static Outcome dead(String reason) {
        return new Dead(reason);
    }
}
