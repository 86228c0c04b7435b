package io.spillway.handler;

/**
 * Application code that processes items.
 *
 * <p><b>Threads.</b> {@link #handle} may block. The worker calls it from many threads at once, at most
 * {@code worker.slots} of them, plus one for an item that may have crashed earlier workers. Each call runs on its own
 * virtual thread, unless the handler declares that it {@link #leavesThreadClean}.
 *
 * <p><b>At least once.</b> The worker may call the handler again for an item that was processed before: after a crash,
 * after a rebalance, or after a timeout of an attempt that took effect anyway. {@link Delivery#id} is the same in each
 * call, so use it as the idempotency key. Attempts of one item may overlap: when a partition moves to another worker,
 * that worker may attempt an item whose call still runs here. Items have no guaranteed order.
 *
 * <p><b>Interrupts.</b> The worker interrupts the thread when the {@linkplain Delivery#lease lease} ends. It also does so
 * at most {@code worker.drainGrace} after it began to stop or to give up the item's partition. An interrupted call that
 * returns {@link Outcome.Done} counts as done; any other result counts as a timeout (lease) or as not attempted (stop,
 * lost partition). A call that ignores the interrupt keeps its slot until it returns.
 */
@FunctionalInterface
public interface Handler extends AutoCloseable {
    /**
     * Processes one attempt of one item.
     *
     * @param delivery the item and its lease, not null
     * @return the result of the attempt; null counts as a {@link Outcome.Retry}
     * @throws Exception counts as a {@link Outcome.Retry}, and so does an {@link Error}; its text becomes the detail.
     *                   An {@link OutOfMemoryError} stops the worker
     */
    Outcome handle(Delivery delivery) throws Exception;

    /**
     * Returns whether one item goes to several subscribers that this handler calls in turn. If true, the worker also
     * records the item's age at the first attempt of the first subscriber
     * ({@code spillway.age_of_first_subscriber_first_attempt}). Metrics of the other subscribers are up to the handler.
     *
     * <p>Read once, when the worker starts. The default is false.
     */
    default boolean fansOut() {
        return false;
    }

    /**
     * Returns whether a call leaves no state in its thread: no thread-local, no logging context, no context class
     * loader. If true, a thread may process the next item, possibly of another tenant, which costs about a fifth less
     * at full speed. Return the same value each time. The default is false.
     */
    default boolean leavesThreadClean() {
        return false;
    }

    /** Releases the handler's resources. The worker calls it once, when it has stopped and no call is running. */
    @Override
    default void close() {}
}
