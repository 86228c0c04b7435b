package io.spillway.bench.peers;

import java.time.Duration;

/**
 * How long a peer waits before it tries an item again: 1 s, doubled each time, up to 10 s. That is Spillway's default
 * base; the cap is what lets a share group, which delivers ten times at most, outlast a minute.
 */
final class PeerBackoff {
    static final long BASE_MILLIS = 1_000;
    static final double MULTIPLIER = 2;
    static final long CAP_MILLIS = 10_000;

    private PeerBackoff() {}

    /**
     * The next wait.
     *
     * @param failures attempts that have failed, 1 or more
     */
    static Duration after(int failures) {
        double millis = BASE_MILLIS * Math.pow(MULTIPLIER, Math.max(0, failures - 1));
        return Duration.ofMillis((long) Math.min(CAP_MILLIS, millis));
    }
}
