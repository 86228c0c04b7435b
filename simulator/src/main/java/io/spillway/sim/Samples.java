package io.spillway.sim;

import io.spillway.sim.scenario.SimulatedTime;
import java.util.ArrayList;
import java.util.List;

/**
 * Depths and ages over time. At the limit, every second sample is removed and the interval doubles.
 *
 * <p>Owner: the run. Bound: {@link #MAX_SAMPLES}, each with one number per lane and series.
 */
final class Samples {
    private static final int MAX_SAMPLES = 1_200;

    long intervalMillis;
    List<SimulationResult.Sample> taken = new ArrayList<>();
    private final int series;

    Samples(int series, long intervalMillis) {
        this.series = series;
        this.intervalMillis = intervalMillis;
    }

    /** Takes the last sample: what happened at its very time is in it. */
    void takeLast(long endNanos, Tally tally, int inFlight) {
        if (!taken.isEmpty() && taken.getLast().nowMillis() == endNanos / SimulatedTime.NANOS_PER_MILLI) {
            taken.removeLast();
        }
        take(endNanos, tally, inFlight);
    }

    void take(long nowNanos, Tally tally, int inFlight) {
        if (taken.size() == MAX_SAMPLES) {
            List<SimulationResult.Sample> kept = new ArrayList<>();
            for (int i = 0; i < taken.size(); i += 2) {
                kept.add(taken.get(i));
            }
            taken = kept;
            intervalMillis *= 2;
        }
        float[] ages = new float[series];
        for (int i = 0; i < series; i++) {
            ages[i] = (float) tally.series[i].oldestNanos(nowNanos) / SimulatedTime.NANOS_PER_MILLI;
        }
        taken.add(new SimulationResult.Sample(
                nowNanos / SimulatedTime.NANOS_PER_MILLI, tally.depths(), inFlight, ages));
    }
}
