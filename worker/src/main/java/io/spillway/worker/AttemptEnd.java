package io.spillway.worker;

import io.spillway.core.retry.AttemptResult;

/**
 * How an attempt ended.
 *
 * @param result        what it came to
 * @param durationNanos how long it took
 */
record AttemptEnd(AttemptResult result, long durationNanos) {}
