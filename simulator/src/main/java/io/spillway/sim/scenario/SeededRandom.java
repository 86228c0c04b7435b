package io.spillway.sim.scenario;

import java.util.random.RandomGenerator;

/**
 * SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014) with a settable state: the
 * randomness of one attempt does not depend on the order of other events. Both disciplines therefore see the same items
 * with the same handling times and failures.
 *
 * <p>Not thread-safe. Owner: its creator.
 */
public final class SeededRandom implements RandomGenerator {
    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    private long state;

    public SeededRandom(long seed) {
        this.state = mix(seed);
    }

    /** Restarts the generator for a part of a number under a seed. */
    public SeededRandom set(long seed, long number, int part) {
        state = mix(seed + mix(number + mix(part * GOLDEN_RATIO + 1)));
        return this;
    }

    @Override
    public long nextLong() {
        state += GOLDEN_RATIO;
        return mix(state);
    }

    /** Draws from the exponential distribution with mean 1. */
    public double exponential() {
        return -StrictMath.log(1 - nextDouble());
    }

    /** Draws from the standard normal distribution (Box and Muller 1958), bit-identical on every platform. */
    double normal() {
        return StrictMath.sqrt(2 * exponential()) * StrictMath.cos(2 * Math.PI * nextDouble());
    }

    private static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }
}
