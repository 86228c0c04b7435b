package io.spillway.deadletter;

/**
 * Result of a run.
 *
 * @param done    number of dead letters replayed or discarded
 * @param stopped whether it was stopped before its end
 */
public record RunResult(long done, boolean stopped) {}
