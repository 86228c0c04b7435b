package io.spillway.core.progress;

import java.util.Optional;

/**
 * Rules for items that were, or may have been, running when a worker died. Most workers die of another cause, and
 * there may be thousands, so most run in small groups, each after a commit with its {@link SuspectMark}. The oldest,
 * and those of the groups with which another worker dies, run one at a time, marked alone. The death that made an item
 * suspect counts as one; only deaths of workers while it was marked alone add to it. So a suspect that ran beside a
 * killer, or in a worker that was killed from outside, runs again.
 *
 * <p>Killers of one tenant come in numbers: the same defect of its items. After a conviction, one death in isolation
 * convicts the tenant's next suspect, until one of its suspects has not killed the worker.
 */
public final class SuspectRules {
    private SuspectRules() {}

    /**
     * Returns the mark for the next owner, with one more death when the previous owner died with it; empty when nothing
     * was marked.
     */
    public static Optional<SuspectMark> markAtTakeover(ProgressState before) {
        return before.clean() ? before.mark() : before.mark().map(SuspectMark::afterDeath);
    }

    /**
     * Decides on a suspect. Decide on one with counted deaths before other suspects of its partition: there is one mark
     * per partition, and a death while another suspect is marked loses the count.
     *
     * @param takenOver    {@link PartitionProgress#takenOverMark}
     * @param killerDeaths {@code killer.deaths}: deaths that convict, 1 or more, one of them alone at least
     * @param isolate      whether an item of its tenant was convicted, and no other item of the tenant would run beside
     */
    public static SuspectDecision decide(
            long offset, Optional<SuspectMark> takenOver, int killerDeaths, boolean isolate) {
        SuspectMark mark = takenOver.filter(taken -> !taken.group() && taken.covers(offset))
                .orElse(new SuspectMark(offset, Math.min(1, killerDeaths - 1)));
        return mark.deaths() >= killerDeaths || mark.isolated()
                ? new SuspectDecision.Convict(mark.deaths(), mark.isolated())
                : new SuspectDecision.RunAlone(new SuspectMark(offset, mark.deaths(), isolate));
    }
}
