package io.spillway.deadletter;

/** Whoever waits for long work: asked between batches whether to stop, and told how far it is. */
public interface ScanListener {
    /** Waits to the end and wants to know nothing. */
    ScanListener NONE = new ScanListener() {
        @Override
        public boolean isStopped() {
            return false;
        }

        @Override
        public void progressed(String what, long done, long total) {}
    };

    /** Whether to stop after the batch under way. */
    boolean isStopped();

    /**
     * Some more is done.
     *
     * @param what  is done, in a word such as {@code replayed}
     * @param total as far as is known, {@code done} or more
     */
    void progressed(String what, long done, long total);
}
