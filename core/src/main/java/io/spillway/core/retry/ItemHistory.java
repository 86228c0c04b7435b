package io.spillway.core.retry;

/**
 * What an item's record tells about its attempts before this one.
 *
 * @param attempts         made before, 0 or more
 * @param blameThousandths failures that were its own, in thousandths of an attempt, 0 or more
 * @param waitMillis       the last wait as drawn; 0 for none
 * @param freshSinceMillis its enqueue time, or the time of its replay when later; epoch milliseconds
 */
public record ItemHistory(int attempts, int blameThousandths, long waitMillis, long freshSinceMillis) {}
