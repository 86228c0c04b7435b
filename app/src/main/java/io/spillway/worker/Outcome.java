package io.spillway.worker;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** What became of an attempt. */
public sealed interface Outcome {
    /** The item is done and never comes again, but for a crash before the next commit. */
    record Done() implements Outcome {}

    /**
     * It failed, and may succeed later.
     *
     * @param after  not before this time has passed; empty leaves it to the tenant's backoff
     * @param detail what went wrong, for people
     */
    record Retry(Optional<Duration> after, String detail) implements Outcome {
        public Retry {
            Objects.requireNonNull(after, "after");
            Objects.requireNonNull(detail, "detail");
        }
    }

    /**
     * It failed, and would fail again: a dead letter.
     *
     * @param reason for people
     */
    record Dead(String reason) implements Outcome {
        public Dead {
            Objects.requireNonNull(reason, "reason");
        }
    }

    /** The item is done. */
    static Outcome done() {
        return new Done();
    }

    /** It failed and is retried by the tenant's policy. */
    static Outcome retry(String detail) {
        return new Retry(Optional.empty(), detail);
    }

    /** It failed and is not retried before this time has passed. */
    static Outcome retry(Duration after, String detail) {
        return new Retry(Optional.of(after), detail);
    }

    /** It failed for good. */
    static Outcome dead(String reason) {
        return new Dead(reason);
    }
}
