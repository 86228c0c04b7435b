package io.spillway.kafka.view;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * What each speaker has said last, and when it was heard. Who has said nothing for a while is taken for gone. Owner: the
 * view's thread; readers see whole statements. Bound: the view's.
 *
 * @param <T> a statement
 */
abstract class InstanceStatuses<T> implements ViewContent {
    private final Map<String, Statement<T>> bySpeaker = new ConcurrentHashMap<>();
    private final long aliveMillis;

    private record Statement<T>(T said, long atMillis) {}

    /**
     * Has heard of nobody.
     *
     * @param aliveMillis so long after it was heard a speaker counts
     */
    InstanceStatuses(long aliveMillis) {
        this.aliveMillis = aliveMillis;
    }

    /** Somebody has said something. */
    final void hear(String speaker, T said, long atMillis) {
        bySpeaker.put(speaker, new Statement<>(said, atMillis));
    }

    /** What those that count and pass have said last, in no order. */
    final List<T> said(long nowMillis, Predicate<String> speakers) {
        return bySpeaker.entrySet().stream()
                .filter(entry -> nowMillis - entry.getValue().atMillis < aliveMillis && speakers.test(entry.getKey()))
                .map(entry -> entry.getValue().said)
                .toList();
    }

    @Override
    public final void remove(String key) {
        bySpeaker.remove(key);
    }

    @Override
    public final boolean contains(String key) {
        return bySpeaker.containsKey(key);
    }

    @Override
    public final int size() {
        return bySpeaker.size();
    }
}
