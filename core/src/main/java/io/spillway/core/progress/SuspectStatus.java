package io.spillway.core.progress;

import java.util.Map;

/**
 * What a worker tells the others about its suspects, so that they take turns and know what was convicted.
 *
 * @param sinceMillis       since when it has suspects that wait for its turn, or are tried in it; 0 for none
 * @param turnMillis        since when it is its turn; 0 while it is not
 * @param convictedAtMillis tenants of convicted suspects, with the time of the last conviction; copied
 */
public record SuspectStatus(long sinceMillis, long turnMillis, Map<String, Long> convictedAtMillis) {
    /** Most tenants in a status: those that were convicted last. */
    public static final int MAX_CONVICTED = 1_000;
    /** Status of a worker that has no suspects and knows of no conviction. */
    public static final SuspectStatus NONE = new SuspectStatus(0, 0, Map.of());

    public SuspectStatus {
        if (convictedAtMillis.size() > MAX_CONVICTED) {
            throw new IllegalArgumentException(convictedAtMillis.size() + " convicted tenants: must be at most "
                    + MAX_CONVICTED);
        }
        convictedAtMillis = Map.copyOf(convictedAtMillis);
    }

    /**
     * Status as another worker received it.
     *
     * @param atMillis time of the last receipt
     */
    public record Received(SuspectStatus status, long atMillis) {}
}
