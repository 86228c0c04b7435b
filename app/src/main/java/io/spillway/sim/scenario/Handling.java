package io.spillway.sim.scenario;

import java.util.List;

/**
 * What a handler does with the items of a group.
 *
 * @param latency      how long an attempt takes, not null
 * @param failureRate  share of attempts that fail and may succeed another time, 0 to 1
 * @param finalRate    share of attempts whose failure is final, 0 to 1; with the other at most 1
 * @param kills        whether every attempt kills its worker when it ends: a poison pill
 * @param disturbances what happens to it for a while; copied
 */
public record Handling(
        Latency latency, double failureRate, double finalRate, boolean kills, List<Disturbance> disturbances) {
    /** @throws IllegalArgumentException when a rate is out of range */
    public Handling {
        disturbances = List.copyOf(disturbances);
        if (!(failureRate >= 0 && finalRate >= 0 && failureRate + finalRate <= 1)) {
            throw new IllegalArgumentException("failureRate = " + failureRate + ", finalRate = " + finalRate
                    + ": must be from 0 to 1 together");
        }
    }

    /** A handler that always succeeds after this. */
    public static Handling of(Latency latency) {
        return new Handling(latency, 0, 0, false, List.of());
    }
}
