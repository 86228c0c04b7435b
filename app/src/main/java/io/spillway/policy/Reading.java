package io.spillway.policy;

/** What is to be done with a record that was read. */
public enum Reading {
    /** It was done before the partition changed hands: skip it. */
    FINISHED,
    /** Run it. */
    RUN,
    /** It was running, or may have been, when the owner before died: {@link SuspectRules} decide. */
    SUSPECT
}
