package io.spillway.deadletter;

/**
 * Listener of a long scan or run: can stop it between batches and receives its progress. By default it never stops it.
 */
public interface ScanListener {
    /** Returns whether to stop after the current batch. */
    default boolean isStopped() {
        return false;
    }

    /**
     * Reports progress.
     *
     * @param what  past participle such as {@code replayed}, or {@code offsets read}: more than there are dead letters,
     *              because markers of transactions and finished records have offsets too
     * @param total expected total, {@code done} or more
     */
    default void progressed(String what, long done, long total) {}
}
