package io.spillway.kafka.view;

/** What a {@link CompactedView} fills. Its methods are called by the view's one thread; reads come from any. */
public interface ViewContent {
    /** Stands for every tenant, as a key of policies and sweeps; no tenant has this name. */
    String ALL_TENANTS = "*";

    /**
     * Takes the newest value of a key.
     *
     * @throws IllegalArgumentException when the bytes are not what the topic should hold; the entry stays as it was
     */
    void put(String key, byte[] value);

    /** Forgets a key. */
    void remove(String key);

    /** Whether the key has an entry. */
    boolean contains(String key);

    /** Entries now. */
    int size();
}
