package io.spillway.core.scheduling;

import java.util.ArrayList;
import java.util.List;

/**
 * Attempts in borrowed slots, and how many of them are expected to end soon, by the average duration of earlier ones.
 *
 * <p>An attempt without an earlier one to compare with is not expected to end, and neither is one that has run for
 * twice its expected duration and 100 ms: its destination may hang.
 *
 * <p>Time alone changes the number, so all attempts are counted again once in 5 ms and 200 ns for each slot, which is
 * about one percent of a core. In between, starts and ends adjust it.
 *
 * <p>Owner: the {@link SlotPool}. Bound: one entry for each slot.
 */
final class ExpectedEnds {
    /** Index of an attempt that is not among them. */
    static final int NONE = -1;

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double LATE_MILLIS = 100;
    private static final long COUNT_NANOS = 5_000_000;
    private static final long COUNT_NANOS_PER_SLOT = 200;

    private final long countedForNanos;
    private final List<SlotLease<?>> attempts = new ArrayList<>();
    private int soon;
    private long countedNanos;

    ExpectedEnds(int slots) {
        this.countedForNanos = COUNT_NANOS + COUNT_NANOS_PER_SLOT * slots;
    }

    /** Adds an attempt that starts now. */
    void started(SlotLease<?> attempt, double soonMillis) {
        attempt.borrowedIndex = attempts.size();
        attempts.add(attempt);
        attempt.isSoon = attempt.isKnown && attempt.chargedMillis <= soonMillis;
        soon += attempt.isSoon ? 1 : 0;
    }

    /** Removes an attempt, if it is one of them. */
    void ended(SlotLease<?> attempt) {
        if (attempt.borrowedIndex == NONE) {
            return;
        }
        SlotLease<?> last = attempts.removeLast();
        if (last != attempt) {
            attempts.set(attempt.borrowedIndex, last);
            last.borrowedIndex = attempt.borrowedIndex;
        }
        soon -= attempt.isSoon ? 1 : 0;
    }

    /** Returns how many attempts are expected to end within this time. */
    int soon(double soonMillis, long nowNanos) {
        long sinceNanos = nowNanos - countedNanos;
        if (sinceNanos >= countedForNanos || sinceNanos < 0) {
            countedNanos = nowNanos;
            soon = 0;
            for (SlotLease<?> attempt : attempts) {
                double ranMillis = (nowNanos - attempt.startedNanos) / NANOS_PER_MILLI;
                attempt.isSoon = attempt.isKnown && ranMillis >= attempt.chargedMillis - soonMillis
                        && ranMillis < 2 * attempt.chargedMillis + LATE_MILLIS;
                soon += attempt.isSoon ? 1 : 0;
            }
        }
        return soon;
    }
}
