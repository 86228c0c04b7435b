package io.spillway.core.retry;

/** What an item's record tells about its attempts before this one. */
public interface ItemHistory {
    /** Returns the attempts made before, 0 or more. */
    int attempts();

    /** Returns the failures that were its own, in thousandths of an attempt, 0 or more. */
    int blameThousandths();

    /** Returns the last wait after a failure of its own as it was drawn, in milliseconds; 0 for none. */
    long waitMillis();
}
