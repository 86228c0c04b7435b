package io.spillway.core.progress;

import java.util.Optional;

/**
 * Mark of the suspect that runs alone, so that a death of the worker can be attributed to it.
 *
 * <p>Most workers die of another cause than an item, and there may be thousands of suspects, so most run in small
 * groups. The oldest, and those of the groups with which another worker dies, run one at a time, marked alone. The
 * death that made an item suspect counts as one; only deaths of workers while it was marked alone add to it. So a
 * suspect that ran beside a killer, or in a worker that was killed from outside, runs again.
 *
 * <p>Killers of one tenant come in numbers: the same defect of its items. After a conviction, one death in isolation
 * convicts the tenant's next suspect, until one of its suspects has not killed the worker.
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

    /**
     * Returns the mark of a suspect that is to run alone, before it is isolated. Decide on one with counted deaths
     * before other suspects of its partition: there is one mark per partition, and a death while another suspect is
     * marked loses the count.
     *
     * @param takenOver    {@link PartitionProgress#takenOverMark}
     * @param killerDeaths {@code killer.deaths}: deaths that convict, 1 or more, one of them alone at least
     */
    public static SuspectMark alone(long offset, Optional<SuspectMark> takenOver, int killerDeaths) {
        return takenOver.filter(taken -> taken.offset() == offset)
                .orElse(new SuspectMark(offset, Math.min(1, killerDeaths - 1)));
    }

    /** Returns whether the deaths of this taken-over mark make its suspect a dead letter. */
    public boolean convicts(int killerDeaths) {
        return deaths >= killerDeaths || isolated;
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
        return new SuspectMark(offset, deaths, false);
    }
}
