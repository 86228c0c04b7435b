package io.spillway.policy;

/**
 * A tenant that shares slots with another.
 *
 * @param tenant its name
 * @param shared slots in common, 1 or more
 */
public record Neighbour(String tenant, int shared) {}
