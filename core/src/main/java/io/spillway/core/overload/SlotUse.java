package io.spillway.core.overload;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Attempts that a worker runs now.
 *
 * @param running of all tenants, 0 or more; more than the slots for a moment, when attempts outlive their partition
 * @param large   those of each tenant that has an eighth of the slots or more, so of {@value #MOST} tenants; copied
 */
public record SlotUse(int running, Map<String, Integer> large) {
    /** A worker that runs nothing, or does not say. */
    public static final SlotUse NONE = new SlotUse(0, Map.of());
    private static final int MOST = 8;
    private static final int LEAST_PART = 8;

    /** @throws IllegalArgumentException when a value is out of its range */
    public SlotUse {
        if (running < 0 || large.size() > MOST || large.values().stream().anyMatch(one -> one < 1)) {
            throw new IllegalArgumentException("running = " + running + ", of " + large.size()
                    + " large tenants: must be 0 or more, and 1 or more of at most " + MOST + " tenants");
        }
        large = Map.copyOf(large);
    }

    /**
     * Counts attempts.
     *
     * @param tenants tenant of each attempt
     * @param slots   of the worker, 1 or more
     */
    public static SlotUse of(Stream<String> tenants, int slots) {
        Map<String, Integer> counts = new HashMap<>();
        tenants.forEach(tenant -> counts.merge(tenant, 1, Integer::sum));
        int running = counts.values().stream().mapToInt(Integer::intValue).sum();
        // Of attempts beyond the slots too, so that the bound holds.
        counts.values().removeIf(count -> (long) count * LEAST_PART < Math.max(slots, running));
        return new SlotUse(running, counts);
    }
}
