package io.spillway.kafka.view;

import java.util.Map;

/**
 * Content of a view that is a map of the values by key.
 *
 * @param <V> the decoded value of a key
 */
abstract class MapContent<V> implements ViewContent {
    /** Written by the view's thread. */
    final Map<String, V> entries;

    /** @param entries empty; for any number of readers, unless only the view's thread reads it */
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
