package io.spillway.core.sharding;

/**
 * Two tenants that share more slots than they may.
 *
 * @param first  the smaller name
 * @param second the greater name
 * @param shared slots in common, more than the book's bound
 */
public record ShardConflict(String first, String second, int shared) {}
