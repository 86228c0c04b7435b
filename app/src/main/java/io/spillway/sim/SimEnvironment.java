package io.spillway.sim;

/** What a worker reaches beyond its partitions. */
interface SimEnvironment {
    /** What a transaction has written can be read. */
    void published(Move move);

    /** There is something to commit. */
    void wantBeat(long nowNanos);

    void died(SimWorker worker, long nowNanos);
}
