package io.spillway.core.overload;

import java.util.HashMap;
import java.util.Map;

/**
 * How long the end of what readers may read has stood still in front of records that are there: a transaction that is never
 * decided. Readers of committed records stop at it for ever, and no lag that they could work off shows it.
 *
 * <p>Time counts from when the standstill was first seen. Owner: one thread. Bound: a number for each place that is looked at.
 *
 * @param <P> a place; its equality counts
 */
public final class StallDetector<P> {
    private final Map<P, Stand> stands = new HashMap<>();

    private record Stand(long readableTo, long sinceMillis) {}

    /**
     * Takes in where a place is.
     *
     * @param place      not null
     * @param readableTo the offset that readers of committed records come to
     * @param end        the offset behind the last record, not below readableTo
     * @param nowMillis  epoch milliseconds
     * @return for how long it has stood in front of records, milliseconds, 0 when it does not
     */
    public long standsForMillis(P place, long readableTo, long end, long nowMillis) {
        if (readableTo >= end) {
            stands.remove(place);
            return 0;
        }
        Stand before = stands.get(place);
        if (before == null || before.readableTo != readableTo) {
            stands.put(place, new Stand(readableTo, nowMillis));
            return 0;
        }
        return Math.max(0, nowMillis - before.sinceMillis);
    }
}
