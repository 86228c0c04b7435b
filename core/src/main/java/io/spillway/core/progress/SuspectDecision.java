package io.spillway.core.progress;

import io.spillway.core.item.DeadReason;

/** Treatment of a suspect. */
public sealed interface SuspectDecision {
    /**
     * Move it to the dead-letter lane, with {@link DeadReason#KILLED_WORKER}, after so many deaths while it was marked.
     */
    record Convict(int deaths) implements SuspectDecision {}

    /**
     * Run it while no other suspect runs in this process, once the mark is committed. Its completion clears the mark.
     */
    record RunAlone(SuspectMark mark) implements SuspectDecision {}
}
