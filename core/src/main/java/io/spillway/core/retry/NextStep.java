package io.spillway.core.retry;

import io.spillway.core.routing.Route;

/** Next step of an item after an attempt. */
public sealed interface NextStep {
    /** The item is done. */
    record Done() implements NextStep {}

    /** The item goes to the dead-letter lane; {@code attempts} are those made, this one counted. */
    record DeadLetter(Route.DeadLetter why, int attempts) implements NextStep {}

    /**
     * The item goes to the delay lane. The next attempt needs the {@link RetryGate}.
     *
     * @param dueMillis        when its backoff is over, epoch milliseconds
     * @param attempts         attempts made, this one counted
     * @param blameThousandths failures that were its own, in thousandths of an attempt, this one counted
     * @param waitMillis       the last wait after a failure of its own as drawn, without what the destination asked
     *                         for; 0 for none
     */
    record Delay(long dueMillis, int attempts, int blameThousandths, long waitMillis) implements NextStep {}

    /** The item goes to the delay lane until this time, epoch milliseconds. The attempt does not count. */
    record PutOff(long dueMillis) implements NextStep {}

    /** The item stays unfinished, and the partition's next owner repeats the attempt: this one does not count. */
    record GiveBack() implements NextStep {}
}
