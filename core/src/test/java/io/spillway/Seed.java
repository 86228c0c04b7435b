package io.spillway;

import java.util.SplittableRandom;

/**
 * Chance for generated tests: the same at every run, so that a red build stays red, and another with
 * {@code -Dspillway.test.seed=N}. Put {@link #toString} into the message of every assertion on generated input.
 */
public final class Seed {
    static final long DEFAULT = 20_261_121;

    private final long seed = Long.getLong("spillway.test.seed", DEFAULT);
    private final SplittableRandom random = new SplittableRandom(seed);

    public SplittableRandom random() {
        return random;
    }

    /** How often to try: {@code -Dspillway.test.rounds=N} times as often as usual. */
    public int rounds(int usual) {
        return usual * Integer.getInteger("spillway.test.rounds", 1);
    }

    @Override
    public String toString() {
        return "again with -Dspillway.test.seed=" + seed;
    }
}
