package io.spillway.router.delay;

import io.spillway.core.retry.RetryKey;

/**
 * Fields of a delayed item that decide how long it waits.
 *
 * @param key              tenant and destination
 * @param workload         within the tenant, empty for none
 * @param isRetry          whether it waits after a failed attempt, so that its retry is paid from a budget
 * @param attempts         attempts since it was enqueued or replayed, 0 or more
 * @param freshSinceMillis start of its age: when it was enqueued, replayed or is to be attempted first, whichever is
 *                         latest; epoch milliseconds
 * @param dueMillis        when its delay is over, epoch milliseconds; may be in the past
 * @param wasClamped       whether its due time was too far ahead
 */
record DelayedItem(
        RetryKey key, String workload, boolean isRetry, int attempts, long freshSinceMillis, long dueMillis,
        boolean wasClamped) {}
