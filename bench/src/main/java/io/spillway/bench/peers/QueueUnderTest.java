package io.spillway.bench.peers;

/**
 * One way to have the items of a topic handled. It has its partitions when it is made, so that no start-up is in a
 * figure. Closing it ends its threads soon: what is unfinished then is interrupted, not waited for.
 */
public interface QueueUnderTest extends AutoCloseable {
    /** Whether it still works on what comes; false is a failure. */
    boolean isRunning();

    /** What it tells of itself at the end, for whoever wonders; may be empty. */
    default String figures() {
        return "";
    }

    /** Items that it gave up so far, as far as it knows. */
    default int givenUp() {
        return 0;
    }

    @Override
    void close();
}
