package io.spillway.kafka.view;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * View content that maps keys to decoded values.
 *
 * @param <V> the decoded value of a key
 */
abstract class MapContent<V> implements ViewContent {
    /** Written by the view's thread. */
    final Map<String, V> entries;

    MapContent() {
        this(new ConcurrentHashMap<>());
    }

    /** @param entries empty; a concurrent map unless only the view's thread reads it */
    MapContent(Map<String, V> entries) {
        this.entries = entries;
    }

    @Override
    public void remove(String key) {
        entries.remove(key);
    }

    @Override
    public boolean contains(String key) {
        return entries.containsKey(key);
    }

    @Override
    public int size() {
        return entries.size();
    }
}
