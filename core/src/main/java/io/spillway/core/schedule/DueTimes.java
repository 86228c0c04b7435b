package io.spillway.core.schedule;

import io.spillway.core.item.ItemLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Times of a schedule for which items are due now. All times are epoch milliseconds.
 *
 * @param times       in ascending order
 * @param untilMillis time until which the schedule is settled: the next decision begins after it. It never decreases,
 *                    so no time is fired twice, even if the clock is set back
 * @param isLeftOut   whether there were other times, for which there is no item
 */
public record DueTimes(List<Long> times, long untilMillis, boolean isLeftOut) {
    /** Age from which a time is missed: longer than the restart of a router, or its replacement by another one. */
    public static final long GRACE_MILLIS = 60_000;

    /**
     * Decides what is due.
     *
     * @param afterMillis time until which the schedule is settled
     * @param most        most times to return, 1 or more; the others are due at once in the next decision
     */
    public static DueTimes of(
            Occurrences occurrences, MissedTimes missed, long afterMillis, long nowMillis, int most) {
        long graceMillis = nowMillis - GRACE_MILLIS - 1;
        boolean isMissed = graceMillis > afterMillis && occurrences.hasBetween(afterMillis, graceMillis);
        if (isMissed && missed == MissedTimes.LAST) {
            long latestMillis = latest(occurrences, afterMillis, nowMillis);
            return new DueTimes(
                    List.of(latestMillis), latestMillis, occurrences.hasBetween(afterMillis, latestMillis - 1));
        }
        // Nobody waits for an item for longer than its producer could have delayed it.
        long oldestMillis = missed == MissedTimes.ALL ? nowMillis - ItemLimits.MAX_AHEAD_MILLIS : graceMillis;
        long fromMillis = isMissed ? Math.max(afterMillis, oldestMillis) : afterMillis;
        boolean isLeftOut = fromMillis > afterMillis && occurrences.hasBetween(afterMillis, fromMillis);
        List<Long> times = new ArrayList<>();
        long untilMillis = fromMillis;
        OptionalLong next = occurrences.after(untilMillis);
        while (next.isPresent() && next.getAsLong() <= nowMillis && times.size() < most) {
            untilMillis = next.getAsLong();
            times.add(untilMillis);
            next = occurrences.after(untilMillis);
        }
        return new DueTimes(List.copyOf(times), untilMillis, isLeftOut);
    }

    /** Returns the latest of many times with few calls: the search halves the range that has one. */
    private static long latest(Occurrences occurrences, long afterMillis, long untilMillis) {
        long low = afterMillis;
        long high = untilMillis;
        while (high - low > 1) {
            long middle = low + (high - low) / 2;
            if (occurrences.hasBetween(middle, untilMillis)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return occurrences.after(low).orElseThrow();
    }
}
