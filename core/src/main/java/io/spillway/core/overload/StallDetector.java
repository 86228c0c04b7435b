package io.spillway.core.overload;

import java.util.HashMap;
import java.util.Map;

/**
 * Detector of a last stable offset that does not advance although records follow it: an open transaction.
 * Read-committed consumers stop there, and their lag does not show it.
 *
 * <p>The duration starts when the stall is first seen. Owner: one thread. Bound: one entry for each partition, compared
 * by equals.
 */
public final class StallDetector<P> {
    private final Map<P, Stall> stalls = new HashMap<>();

    private record Stall(long readableTo, long sinceMillis) {}

    /**
     * Records the offsets of a partition, and returns the duration of its stall in milliseconds, 0 for none.
     *
     * @param readableTo last stable offset
     * @param end        offset after the last record, not below readableTo
     */
    public long stalledMillis(P partition, long readableTo, long end, long nowMillis) {
        if (readableTo >= end) {
            stalls.remove(partition);
            return 0;
        }
        Stall before = stalls.get(partition);
        if (before == null || before.readableTo != readableTo) {
            stalls.put(partition, new Stall(readableTo, nowMillis));
            return 0;
        }
        return Math.max(0, nowMillis - before.sinceMillis);
    }
}
