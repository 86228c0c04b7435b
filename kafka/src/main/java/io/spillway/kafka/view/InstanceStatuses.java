package io.spillway.kafka.view;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Latest status of each instance, with the time of receipt. An instance without a recent status counts as gone. Owner:
 * the view's thread; readers see only complete statuses. Bound: that of the view.
 *
 * @param <T> a status
 */
abstract class InstanceStatuses<T> implements ViewContent {
    private final Map<String, Received<T>> byInstance = new ConcurrentHashMap<>();
    private final long aliveMillis;

    private record Received<T>(T status, long atMillis) {}

    /** Creates empty content; a status counts for this long after its receipt. */
    InstanceStatuses(long aliveMillis) {
        this.aliveMillis = aliveMillis;
    }

    final void update(String instance, T status, long atMillis) {
        byInstance.put(instance, new Received<>(status, atMillis));
    }

    /** Returns the latest statuses of the live instances that match, in no order. */
    final List<T> latest(long nowMillis, Predicate<String> instances) {
        return byInstance.entrySet().stream()
                .filter(entry -> nowMillis - entry.getValue().atMillis < aliveMillis && instances.test(entry.getKey()))
                .map(entry -> entry.getValue().status)
                .toList();
    }

    @Override
    public final void remove(String key) {
        byInstance.remove(key);
    }

    @Override
    public final boolean contains(String key) {
        return byInstance.containsKey(key);
    }

    @Override
    public final int size() {
        return byInstance.size();
    }
}
