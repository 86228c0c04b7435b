package io.spillway.core.retry;

/**
 * Order of one group's parked items: by class of attempts, and within a class by end. Items with fewer attempts go
 * first, so that the retries of a long outage are spread over all items of a tenant.
 */
public final class AttemptClasses {
    /** Number of classes: 1, 2 and 3, 4 to 7, 8 to 15 attempts, and so on; the last one is 64 and more. */
    static final int CLASSES = 7;

    private AttemptClasses() {}

    /** Returns the class of items with this many attempts: the bits of the number, 1 to {@link #CLASSES}. */
    public static int of(int attempts) {
        return Math.clamp(Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(0, attempts)), 1, CLASSES);
    }
}
