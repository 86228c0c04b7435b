package io.spillway.core.sharding;

/** Pair of tenants, the smaller name first, that share more slots than the registry allows. */
public record ShardConflict(String first, String second, int shared) {}
