package io.spillway.handler;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Result of one attempt. Immutable; no argument may be null. A handler returns one of the first five; the worker makes
 * the others of an attempt that it stops.
 *
 * <table>
 * <caption>What an outcome means</caption>
 * <tr><th>outcome</th><th>the item</th><th>the destination</th></tr>
 * <tr><td>{@link Done}</td><td>is finished</td><td>works</td></tr>
 * <tr><td>{@link Retry}</td><td>may be the cause</td><td>may be the cause</td></tr>
 * <tr><td>{@link Unavailable}</td><td>is not the cause</td><td>is the cause</td></tr>
 * <tr><td>{@link Dead}</td><td>is the cause</td><td>works</td></tr>
 * <tr><td>{@link Later}</td><td>was not attempted</td><td>was not called</td></tr>
 * <tr><td>{@link TimedOut}</td><td>may be the cause</td><td>may be the cause</td></tr>
 * <tr><td>{@link Interrupted}</td><td>counts as not attempted</td><td>is not judged</td></tr>
 * </table>
 */
public sealed interface Outcome {
    /** The item is finished. It is delivered again only if the worker crashes before its next commit. */
    record Done() implements Outcome {}

    /**
     * The attempt failed, and the cause may be the item or its destination; a later attempt may succeed. A failure
     * while the destination works for other items counts towards the tenant's {@code attempts}. When they are used up,
     * or the item has been retried for the tenant's {@code retryFor}, it becomes a dead letter.
     *
     * @param after  shortest wait before the next attempt, to which the tenant's backoff is added; negative counts as
     *               zero. It may exceed the tenant's {@code backoffCap}, and counts up to {@code retryFor} and 30 days.
     *               An exhausted retry budget can lengthen it. Empty: the backoff alone
     * @param detail cause of the failure, for operators; a dead letter carries up to 4,000 printable characters of it
     */
    record Retry(Optional<Duration> after, String detail) implements Outcome {
        public Retry {
            Objects.requireNonNull(after, "after");
            Objects.requireNonNull(detail, "detail");
        }
    }

    /**
     * The attempt failed because the {@linkplain Handler#destination destination} cannot work at the moment, for
     * example because it refuses connections or asks for fewer requests. The failure is not the item's: it counts as an
     * attempt in {@link Delivery#attempt}, but never towards the tenant's {@code attempts}. The item is retried as for
     * {@link Retry}, and becomes a dead letter when it has been retried for the tenant's {@code retryFor}.
     *
     * @param after  as in {@link Retry}
     * @param detail cause of the failure, for operators
     */
    record Unavailable(Optional<Duration> after, String detail) implements Outcome {
        public Unavailable {
            Objects.requireNonNull(after, "after");
            Objects.requireNonNull(detail, "detail");
        }
    }

    /**
     * The item is put off: the handler did not attempt it, for example because it is too early. It costs no attempt and
     * no retry budget, and may be repeated as often as necessary. The item still ends: it becomes a dead letter when
     * the tenant's {@code expireAfter} has passed without an attempt, or {@code retryFor} if it was attempted before.
     *
     * @param after shortest wait before the item is delivered again; negative counts as zero, and more than 30 days
     *              count as 30 days. It may exceed the tenant's {@code backoffCap}
     */
    record Later(Duration after) implements Outcome {
        public Later {
            Objects.requireNonNull(after, "after");
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

    /**
     * The worker stopped the attempt at the end of its lease, after it had run for this time; whether it took effect is
     * unknown. From a handler it counts as a {@link Retry}.
     */
    record TimedOut(Duration ran) implements Outcome {
        public TimedOut {
            Objects.requireNonNull(ran, "ran");
        }
    }

    /**
     * The worker stopped the attempt because it shuts down or has lost the item's partition. From a handler it counts
     * as a {@link Retry}.
     */
    record Interrupted() implements Outcome {}

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

    /** Returns {@link Unavailable}, with a retry after the tenant's backoff; the detail is the cause of the failure. */
    static Outcome unavailable(String detail) {
        return unavailable(Optional.empty(), detail);
    }

    /** Returns {@link Unavailable}, with a retry after at least this wait; the detail is the cause of the failure. */
    static Outcome unavailable(Duration after, String detail) {
        return unavailable(Optional.of(after), detail);
    }

    /** Returns {@link Unavailable}, with a retry after at least the wait that the destination asked for, if any. */
    static Outcome unavailable(Optional<Duration> after, String detail) {
        return new Unavailable(after, detail);
    }

    /** Returns {@link Later}: the item was not attempted and is delivered again after at least this wait. */
    static Outcome later(Duration after) {
        return new Later(after);
    }

    /** Returns {@link Dead}: the item must not be attempted again, for this reason. */
    static Outcome dead(String reason) {
        return new Dead(reason);
    }
}
