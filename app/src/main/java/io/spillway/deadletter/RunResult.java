package io.spillway.deadletter;

/**
 * Result of a run.
 *
 * @param done    number of dead letters replayed or discarded
 * @param toEnd   number of skipped dead letters re-appended to their partition
 * @param stopped whether it was stopped before its end
 */
public record RunResult(long done, long toEnd, boolean stopped) {}
