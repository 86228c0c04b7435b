package io.spillway.core.progress;

import java.util.Optional;

/**
 * What becomes of items that were running, or may have been, when a worker died. Most workers die of something else, so
 * at first they are on probation and run as all others do: there may be thousands, and alone each takes a commit. Those
 * that are unfinished when that worker dies as well run one at a time, each with a {@link SuspectMark} committed before. Only the
 * marked one can be convicted, and only by the deaths of workers in which it was the marked one: a suspect that ran beside
 * a killer, or in a worker that was killed from outside, is run again.
 */
public final class SuspectRules {
    private SuspectRules() {}

    /**
     * The mark as the next owner has to see it: with one death more when the owner before died with it.
     *
     * @param before what was committed last, not null
     * @return empty when nothing was marked
     */
    public static Optional<SuspectMark> markAtTakeover(ProgressState before) {
        return before.clean() ? before.mark() : before.mark().map(SuspectMark::afterDeath);
    }

    /**
     * Decides on a suspect. An item whose deaths are counted should come before other suspects of its partition: there
     * is one mark a partition, and while another item has it a death of this worker loses the count.
     *
     * @param offset       the suspect's offset
     * @param takenOver    {@link PartitionProgress#takenOverMark}, not null
     * @param killerDeaths {@code killer.deaths}: deaths that convict; 0 turns suspicion off
     */
    public static SuspectDecision decide(long offset, Optional<SuspectMark> takenOver, int killerDeaths) {
        if (killerDeaths <= 0) {
            return new SuspectDecision.RunFreely();
        }
        int deaths = takenOver.filter(mark -> mark.offset() == offset).map(SuspectMark::deaths).orElse(0);
        return deaths >= killerDeaths
                ? new SuspectDecision.Convict(deaths)
                : new SuspectDecision.RunAlone(new SuspectMark(offset, deaths));
    }
}
