package io.spillway.kafka.view;

import io.spillway.core.item.ItemLimits;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Content of a {@link CompactedView}: decoded values by key. Only the view's thread writes; other threads may read.
 *
 * @param <V> the decoded value of a key
 */
public abstract class ViewContent<V> {
    /** Key of policies and sweeps that applies to every tenant. No tenant can have this name. */
    public static final String ALL_TENANTS = "*";

    protected final Map<String, V> entries = new ConcurrentHashMap<>();

    /**
     * Stores the newest value of a key.
     *
     * @throws IllegalArgumentException if the bytes are not valid for the topic; the entry is then unchanged
     */
    public abstract void put(String key, byte[] value);

    /** Returns the size of the longest key that the topic may have, in bytes. */
    int maxKeyBytes() {
        return ItemLimits.MAX_NAME_LENGTH;
    }

    /** Removes a key. */
    public void remove(String key) {
        entries.remove(key);
    }

    /** Returns whether the key has an entry. */
    public boolean contains(String key) {
        return entries.containsKey(key);
    }

    /** Returns whether a key has an entry, is that of all tenants, or is one of at most so many. */
    boolean hasRoomFor(String key, int maxEntries) {
        return contains(key) || entries.size() < maxEntries || key.equals(ALL_TENANTS);
    }

    /** Returns the keys that have an entry now, in a new set. */
    Set<String> keys() {
        return new HashSet<>(entries.keySet());
    }

    /** Returns the number of entries. */
    public final int size() {
        return entries.size();
    }
}
