package io.spillway.core.policy;

/** Randomization of backoff waits (Brooker, "Exponential Backoff And Jitter", 2015). */
public enum Jitter {
    FULL,
    EQUAL,
    DECORRELATED,
    NONE
}
