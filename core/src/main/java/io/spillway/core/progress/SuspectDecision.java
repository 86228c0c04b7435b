package io.spillway.core.progress;

import io.spillway.core.item.DeadReason;

/** What is to be done with a suspect. */
public sealed interface SuspectDecision {
    /**
     * To the dead-letter lane, with {@link DeadReason#KILLED_WORKER}.
     *
     * @param deaths workers that died while it was the marked one
     */
    record Convict(int deaths) implements SuspectDecision {}

    /**
     * Run it when no other suspect runs in this process, once the mark is committed. Its completion clears the mark.
     *
     * @param mark what to commit first
     */
    record RunAlone(SuspectMark mark) implements SuspectDecision {}

    /** Run it like any other item. */
    record RunFreely() implements SuspectDecision {}
}
