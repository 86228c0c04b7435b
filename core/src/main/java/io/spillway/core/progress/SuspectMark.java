package io.spillway.core.progress;

/**
 * Mark of the suspect that runs alone, so that a death of the worker can be attributed to it.
 *
 * @param offset its offset, 0 or more
 * @param deaths workers that died while it was marked, 0 to {@link #MAX_DEATHS}
 */
public record SuspectMark(long offset, int deaths) {
    /** Far above any {@code killer.deaths}; a larger number in metadata is damage. */
    public static final int MAX_DEATHS = 1_000_000;

    public SuspectMark {
        if (offset < 0 || deaths < 0 || deaths > MAX_DEATHS) {
            throw new IllegalArgumentException("offset = " + offset + ", deaths = " + deaths + ": out of range");
        }
    }

    /** Returns the mark with one more death. */
    SuspectMark afterDeath() {
        return new SuspectMark(offset, Math.min(deaths + 1, MAX_DEATHS));
    }
}
