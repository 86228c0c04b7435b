package io.spillway.router.route;

import org.apache.kafka.common.header.Headers;

/** Worker of the same process, which may start items of hot before the transactions that move them there commit. */
@FunctionalInterface
public interface EarlyStart {
    /** Starts nothing. */
    EarlyStart NEVER = (partition, timestampMillis, key, value, headers) -> false;

    /**
     * Starts an item as its record in hot will be, if there is a slot for it; called by stream threads.
     *
     * @param partition       of hot
     * @param timestampMillis of the record, epoch milliseconds
     * @param key             null for none
     * @param headers         of the record; copied if they are kept
     * @return whether it has started; otherwise it starts after the commit
     */
    boolean start(int partition, long timestampMillis, byte[] key, byte[] value, Headers headers);
}
