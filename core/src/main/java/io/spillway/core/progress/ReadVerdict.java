package io.spillway.core.progress;

/** Treatment of a record that was read. */
public enum ReadVerdict {
    /** A previous owner finished it: skip it. */
    FINISHED,
    /** Run it. */
    RUN,
    /** It was, or may have been, running when the previous owner died: it runs after a commit that marks it. */
    SUSPECT
}
