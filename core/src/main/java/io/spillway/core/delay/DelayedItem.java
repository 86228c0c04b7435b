package io.spillway.core.delay;

import io.spillway.core.retry.RetryKey;
import io.spillway.core.routing.ItemTimes;

/**
 * Fields of a delayed item that decide how long it waits.
 *
 * @param key      tenant and destination
 * @param workload within the tenant, empty for none
 * @param isRetry  whether it waits after a failed attempt, so that its retry is paid from a budget
 * @param attempts attempts since it was enqueued or replayed, 0 or more
 */
public record DelayedItem(RetryKey key, String workload, boolean isRetry, int attempts, ItemTimes times) {}
