package io.spillway.sim;

import io.spillway.core.item.Lane;
import io.spillway.sim.scenario.SimulatedTime;
import java.util.ArrayList;
import java.util.List;

/**
 * Depths and ages over time. When there are too many, every second one is forgotten and they are taken half as often.
 *
 * <p>Owned by the run. Bound: {@link #MAX_SAMPLES} of a number for each lane and series.
 */
final class Samples {
    private static final int MAX_SAMPLES = 1_200;

    private final int series;
    private long intervalMillis;
    private List<Sample> taken = new ArrayList<>();

    /**
     * One look.
     *
     * @param depths     items by lane, in the order of {@link Lane}
     * @param agesMillis of each series, the age of the oldest item that waits for its first attempt
     */
    record Sample(long nowMillis, long[] depths, float[] agesMillis, int inFlight) {}

    Samples(int series, long intervalMillis) {
        this.series = series;
        this.intervalMillis = intervalMillis;
    }

    long intervalMillis() {
        return intervalMillis;
    }

    List<Sample> taken() {
        return taken;
    }

    void take(long nowNanos, Tally tally, int inFlight) {
        if (taken.size() == MAX_SAMPLES) {
            List<Sample> kept = new ArrayList<>();
            for (int i = 0; i < taken.size(); i += 2) {
                kept.add(taken.get(i));
            }
            taken = kept;
            intervalMillis *= 2;
        }
        long[] depths = new long[Lane.values().length];
        for (Lane lane : Lane.values()) {
            depths[lane.ordinal()] = tally.depth(lane);
        }
        float[] ages = new float[series];
        for (int i = 0; i < series; i++) {
            ages[i] = (float) tally.series[i].oldestNanos(nowNanos) / SimulatedTime.NANOS_PER_MILLI;
        }
        taken.add(new Sample(nowNanos / SimulatedTime.NANOS_PER_MILLI, depths, ages, inFlight));
    }
}
