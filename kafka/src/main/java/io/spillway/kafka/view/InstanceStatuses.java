package io.spillway.kafka.view;

import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Latest status of each instance, with the time of receipt. An instance without a recent status counts as gone. Owner:
 * the view's thread; readers see only complete statuses. Bound: that of the view.
 *
 * @param <T> a status
 */
abstract class InstanceStatuses<T> extends ViewContent<InstanceStatuses.Received<T>> {
    final InstantSource clock;
    private final long aliveMillis;

    record Received<T>(T status, long atMillis) {}

    /** Creates empty content; a status counts for this long after its receipt, measured by the clock. */
    InstanceStatuses(long aliveMillis, InstantSource clock) {
        this.aliveMillis = aliveMillis;
        this.clock = clock;
    }

    /** In a full view, a new instance takes the place of the one that has been dead for longest. */
    @Override
    final boolean hasRoomFor(String key, int maxEntries) {
        if (!super.hasRoomFor(key, maxEntries)) {
            entries.entrySet().stream().min(Comparator.comparingLong(entry -> entry.getValue().atMillis))
                    .filter(oldest -> !isAlive(oldest.getValue(), clock.millis()))
                    .ifPresent(dead -> entries.remove(dead.getKey()));
        }
        return super.hasRoomFor(key, maxEntries);
    }

    final void update(String instance, T status, long atMillis) {
        entries.put(instance, new Received<>(status, atMillis));
    }

    /** Returns the latest statuses of the live instances that match, in no order. */
    final List<T> latest(Predicate<String> instances) {
        return live().filter(entry -> instances.test(entry.getKey())).map(entry -> entry.getValue().status).toList();
    }

    /** Returns the latest statuses of all live instances. */
    final Map<String, T> latestByInstance() {
        return live().collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, entry -> entry.getValue().status));
    }

    /** Returns the latest status of each instance, received at the latest now: the clock may have been set back. */
    final Map<String, Received<T>> received() {
        long nowMillis = clock.millis();
        if (entries.values().stream().anyMatch(received -> received.atMillis > nowMillis)) {
            entries.replaceAll((instance, received) ->
                    new Received<>(received.status, Math.min(received.atMillis, nowMillis)));
        }
        return entries;
    }

    private Stream<Map.Entry<String, Received<T>>> live() {
        Map<String, Received<T>> received = received();
        long nowMillis = clock.millis();
        return received.entrySet().stream().filter(entry -> isAlive(entry.getValue(), nowMillis));
    }

    private boolean isAlive(Received<T> received, long nowMillis) {
        return nowMillis - received.atMillis < aliveMillis;
    }
}
