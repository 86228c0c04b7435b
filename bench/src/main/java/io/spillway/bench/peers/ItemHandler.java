package io.spillway.bench.peers;

/** What is done with an item; called from many threads at once. */
@FunctionalInterface
public interface ItemHandler {
    /**
     * Handles it.
     *
     * @param key   of the record: the tenant's name
     * @param value of the record
     * @return whether it is done; otherwise it is to be tried again
     * @throws InterruptedException when the queue is closed meanwhile; the item is not done
     */
    boolean handle(byte[] key, byte[] value) throws InterruptedException;
}
