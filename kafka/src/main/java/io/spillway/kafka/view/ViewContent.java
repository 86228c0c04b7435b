package io.spillway.kafka.view;

/** Content of a {@link CompactedView}. Only the view's thread calls these methods; other threads may read. */
public interface ViewContent {
    /** Key of policies and sweeps that applies to every tenant. No tenant can have this name. */
    String ALL_TENANTS = "*";

    /**
     * Stores the newest value of a key.
     *
     * @throws IllegalArgumentException if the bytes are not valid for the topic; the entry is then unchanged
     */
    void put(String key, byte[] value);

    /** Removes a key. */
    void remove(String key);

    /** Returns whether the key has an entry. */
    boolean contains(String key);

    /** Returns the number of entries. */
    int size();
}
