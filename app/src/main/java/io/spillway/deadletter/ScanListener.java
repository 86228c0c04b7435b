package io.spillway.deadletter;

/** Listener of a long scan or run: can stop it between batches and receives its progress. */
public interface ScanListener {
    /** Never stops and ignores the progress. */
    ScanListener NONE = new ScanListener() {
        @Override
        public boolean isStopped() {
            return false;
        }

        @Override
        public void progressed(String what, long done, long total) {}
    };

    /** Returns whether to stop after the current batch. */
    boolean isStopped();

    /**
     * Reports progress.
     *
     * @param what  past participle such as {@code replayed}
     * @param total expected total, {@code done} or more
     */
    void progressed(String what, long done, long total);
}
