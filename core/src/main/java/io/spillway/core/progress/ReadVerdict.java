package io.spillway.core.progress;

/** What is to be done with a record that was read. */
public enum ReadVerdict {
    /** It was done before the partition changed hands: skip it. */
    FINISHED,
    /** Run it. */
    RUN,
    /** It was running, or may have been, when the owner before died: run it once more as all others. */
    PROBATION,
    /** The same, when its owner before that had died too: {@link SuspectRules} decide. */
    SUSPECT
}
