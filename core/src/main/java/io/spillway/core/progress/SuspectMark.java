package io.spillway.core.progress;

/**
 * Mark of the suspect that runs alone, so that a death of the worker can be attributed to it.
 *
 * @param offset   its offset, 0 or more
 * @param deaths   workers that died while it was marked, 0 to {@link #MAX_DEATHS}
 * @param isolated whether no other item of its tenant runs beside it, after the conviction of one: a death convicts it.
 *                 In a taken-over mark: whether a worker died with it in isolation
 */
public record SuspectMark(long offset, int deaths, boolean isolated) {
    /** Far above any {@code killer.deaths}; a larger number in metadata is damage. */
    public static final int MAX_DEATHS = 1_000_000;

    public SuspectMark {
        if (offset < 0 || deaths < 0 || deaths > MAX_DEATHS) {
            throw new IllegalArgumentException("offset = " + offset + ", deaths = " + deaths + ": out of range");
        }
    }

    /** Creates a mark of a suspect that is not isolated. */
    public SuspectMark(long offset, int deaths) {
        this(offset, deaths, false);
    }

    /** Returns the mark with one more death. */
    SuspectMark afterDeath() {
        return new SuspectMark(offset, Math.min(deaths + 1, MAX_DEATHS), isolated);
    }

    /** Returns the mark with one death less, of 1 or more: the next owner counts that death again. */
    SuspectMark beforeDeath() {
        return new SuspectMark(offset, deaths - 1, isolated);
    }

    /** Returns the mark of a suspect whose attempt was stopped: no worker died with it in isolation. */
    SuspectMark stopped() {
        return new SuspectMark(offset, deaths);
    }
}
