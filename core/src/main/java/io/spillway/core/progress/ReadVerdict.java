package io.spillway.core.progress;

/** Treatment of a record that was read. */
public enum ReadVerdict {
    /** A previous owner finished it: skip it. */
    FINISHED,
    /** Run it. */
    RUN,
    /** It was, or may have been, running when the previous owner died: {@link SuspectRules} decide. */
    PROBATION,
    /** As before, and after an earlier death too. */
    SUSPECT
}
