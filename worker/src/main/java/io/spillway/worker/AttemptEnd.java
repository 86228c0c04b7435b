package io.spillway.worker;

import io.spillway.core.retry.AttemptResult;

/** Result and duration of an attempt that has ended. */
record AttemptEnd(AttemptResult result, long durationNanos) {}
