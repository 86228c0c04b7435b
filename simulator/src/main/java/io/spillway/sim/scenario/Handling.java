package io.spillway.sim.scenario;

import java.util.List;

/**
 * Behaviour of a handler for the items of a group.
 *
 * @param latency      duration of an attempt
 * @param failureRate  share of attempts that fail and may be retried, 0 to 1
 * @param finalRate    share of attempts that fail permanently, 0 to 1; at most 1 together with {@code failureRate}
 * @param poisonRate   share of items whose every attempt fails, 0 to 1
 * @param kills        whether every attempt kills its worker when it ends: a poison pill
 * @param disturbances temporary changes; copied
 */
public record Handling(
        Latency latency, double failureRate, double finalRate, double poisonRate, boolean kills,
        List<Disturbance> disturbances) {
    /** @throws IllegalArgumentException when a rate is out of range */
    public Handling {
        disturbances = List.copyOf(disturbances);
        if (!(poisonRate >= 0 && poisonRate <= 1)) {
            throw new IllegalArgumentException("poisonRate = " + poisonRate + ": must be from 0 to 1");
        }
        if (!(failureRate >= 0 && finalRate >= 0 && failureRate + finalRate <= 1)) {
            throw new IllegalArgumentException("failureRate = " + failureRate + ", finalRate = " + finalRate
                    + ": must be from 0 to 1 together");
        }
    }

    /** Creates a handler without poison items. */
    public Handling(
            Latency latency, double failureRate, double finalRate, boolean kills, List<Disturbance> disturbances) {
        this(latency, failureRate, finalRate, 0, kills, disturbances);
    }

    /** Returns a handler that always succeeds. */
    public static Handling of(Latency latency) {
        return new Handling(latency, 0, 0, false, List.of());
    }
}
