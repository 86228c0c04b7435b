package io.spillway.core.ratelimit;

/**
 * A tenant's waiting items, for admission.
 *
 * @param waiting     items, 0 or more
 * @param drainMillis time that they need at their rate of completion, 0 or more; 0 while it is not known, or some are
 *                    held
 */
public record Backlog(long waiting, double drainMillis) {
    /** Nothing waits, or nothing is known. */
    public static final Backlog NONE = new Backlog(0, 0);
}
