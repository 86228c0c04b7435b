package io.spillway.core.retry;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.Printable;

/** What becomes of an item after an attempt. */
public sealed interface NextStep {
    /** It is done. */
    record Done() implements NextStep {}

    /**
     * To the dead-letter lane.
     *
     * @param reason   why
     * @param detail   what was found, for people; printable, at most {@link Printable#MAX_LENGTH} characters
     * @param attempts attempts made, this one counted
     */
    record DeadLetter(DeadReason reason, String detail, int attempts) implements NextStep {
        public DeadLetter {
            detail = Printable.of(detail);
        }
    }

    /**
     * To the delay lane. Before the next attempt the {@link RetryBudget} is asked.
     *
     * @param dueMillis  when the next attempt is due, epoch milliseconds
     * @param attempts   attempts made, this one counted
     * @param waitMillis the wait that was drawn, for the next call of {@link AttemptRules#nextStep}
     */
    record Delay(long dueMillis, int attempts, long waitMillis) implements NextStep {}

    /** It stays where it is, unfinished, and its next owner makes the attempt again: this one does not count. */
    record GiveBack() implements NextStep {}
}
