package io.spillway.core.policy;

/** How chance spreads the waits of a backoff (Brooker, "Exponential Backoff And Jitter", 2015). */
public enum Jitter {
    FULL,
    EQUAL,
    DECORRELATED,
    NONE
}
