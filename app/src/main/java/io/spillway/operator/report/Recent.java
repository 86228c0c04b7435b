package io.spillway.operator.report;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Results that are computed again only when they have become old, so that many who look cost no more than one.
 * Thread-safe: they wait for each other. Bound: {@value #MAX_KEPT} results.
 *
 * @param <K> what was asked for
 * @param <V> the results
 */
final class Recent<K, V> {
    private static final int MAX_KEPT = 16;

    private final long keptMillis;
    /** Not a monitor: in Java 21, virtual threads that wait for one keep the requests of others from running. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<K, Result<V>> kept = new HashMap<>();

    private record Result<V>(V value, long atMillis) {}

    Recent(long keptMillis) {
        this.keptMillis = keptMillis;
    }

    /** Returns the last result, or a new one if that is too old. A clock that was set back also causes a new one. */
    V get(K key, long nowMillis, Supplier<V> compute) {
        lock.lock();
        try {
            kept.values().removeIf(last -> nowMillis < last.atMillis || nowMillis >= last.atMillis + keptMillis);
            if (!kept.containsKey(key)) {
                if (kept.size() >= MAX_KEPT) {
                    kept.clear();
                }
                kept.put(key, new Result<>(compute.get(), nowMillis));
            }
            return kept.get(key).value();
        } finally {
            lock.unlock();
        }
    }
}
