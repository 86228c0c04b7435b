package io.spillway.core.sharding;

/**
 * Pair of tenants that share more slots than the registry allows.
 *
 * @param first  the smaller name
 * @param second the greater name
 * @param shared slots in common, more than the registry's bound
 */
public record ShardConflict(String first, String second, int shared) {}
