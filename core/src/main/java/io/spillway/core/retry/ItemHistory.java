package io.spillway.core.retry;

/**
 * What an item's record tells about its attempts before this one.
 *
 * @param attempts         made before, 0 or more
 * @param blameThousandths failures that were its own, in thousandths of an attempt, 0 or more
 * @param waitMillis       the last wait after a failure of its own, as drawn; 0 for none
 */
public record ItemHistory(int attempts, int blameThousandths, long waitMillis) {}
