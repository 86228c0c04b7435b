package io.spillway.policy;

/** What comes of the wish to give a tenant partitions of its own. */
public sealed interface Isolation {
    /**
     * It has them.
     *
     * @param dedication who has which partitions from now on
     */
    record Isolated(Dedication dedication) implements Isolation {}

    /**
     * It cannot have them, and nothing has changed.
     *
     * @param detail one line for the operator that says what is allowed
     */
    record Refused(String detail) implements Isolation {}
}
