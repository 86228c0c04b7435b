package io.spillway.core.policy;

/** Effect on gateway admission when a tenant's backlog is over its {@code maxDepth}. */
public enum BackPressure {
    /** The admitted share is inversely proportional to the backlog. */
    SHED,
    /** Items are never rejected because of the backlog. */
    ACCEPT
}
