package io.spillway.deadletter;

/**
 * How a run ended.
 *
 * @param done    dead letters replayed or discarded
 * @param toEnd   dead letters passed over that were put to the end of their partition
 * @param stopped whether it was stopped before its end
 */
public record RunResult(long done, long toEnd, boolean stopped) {}
