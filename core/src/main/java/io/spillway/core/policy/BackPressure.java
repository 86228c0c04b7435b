package io.spillway.core.policy;

/** What the front door does with a tenant whose backlog is over its {@code maxDepth}. */
public enum BackPressure {
    /** Admission shrinks in inverse proportion to the backlog. */
    SHED,
    /** Never refused for depth: orders must be taken. */
    ACCEPT
}
