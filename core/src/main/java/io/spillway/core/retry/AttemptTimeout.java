package io.spillway.core.retry;

/**
 * Timeout of one attempt, and what its end tells about the tenant's durations.
 *
 * @param millis      longest duration of the attempt, 1 or more
 * @param usualMillis timeout of the tenant's other first attempts when it began, at most {@code millis} with probes
 * @param isProbe     whether it is longer than usual in order to see durations above the usual timeout
 * @param tenant      owner of what is learned; empty content where nothing is recorded
 */
public record AttemptTimeout(long millis, long usualMillis, boolean isProbe, TenantDurations tenant) {}
