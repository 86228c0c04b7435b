package io.spillway.core.progress;

import io.spillway.core.item.DeadReason;

/** Treatment of a suspect. */
public sealed interface SuspectDecision {
    /**
     * Move it to the dead-letter lane, with {@link DeadReason#KILLED_WORKER}.
     *
     * @param deaths   workers that died while it was marked, 1 or more
     * @param isolated whether one of them died while it was isolated after the conviction of another item of its tenant
     */
    record Convict(int deaths, boolean isolated) implements SuspectDecision {}

    /**
     * Run it while no other suspect runs in this process, once the mark is committed. Its completion clears the mark.
     */
    record RunAlone(SuspectMark mark) implements SuspectDecision {}
}
