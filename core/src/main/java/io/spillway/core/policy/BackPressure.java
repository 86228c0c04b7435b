package io.spillway.core.policy;

/** Effect of a tenant's backlog and of its growth rule on admission at the gateways. */
public enum BackPressure {
    /** Admission shrinks with a backlog over {@code maxDrain} or {@code maxDepth}, and a growing limit holds. */
    SHED,
    /** Items are never rejected for the backlog or a growing limit, only for an explicit {@code admissionRate}. */
    ACCEPT
}
