package io.spillway.worker;

/**
 * What is done with an item. Blocking code: each call runs on a virtual thread of its own, many at once, unless the handler
 * {@link #leavesThreadClean}.
 *
 * <p>An item may be handed over more than once (after a crash, or a timeout whose effect happened all the same):
 * {@link Delivery#id} is the idempotency key. When the lease ends, the thread is interrupted; a handler that goes on
 * all the same keeps its slot until it ends.
 */
@FunctionalInterface
public interface Handler extends AutoCloseable {
    /**
     * Handles one item.
     *
     * @param delivery the item and its lease
     * @return what became of it, never null
     * @throws Exception counts as {@link Outcome.Retry}; so does an {@link Error}
     */
    Outcome handle(Delivery delivery) throws Exception;

    /**
     * Whether behind this handler one item goes to many subscribers, which it attempts in turn: then the age at which
     * the first of them is attempted for the first time is measured on its own, and what becomes of the rest is the
     * handler's to measure.
     */
    default boolean fansOut() {
        return false;
    }

    /**
     * Whether a call leaves nothing behind in its thread: no thread-local, no logging context, no class loader. Then a thread may
     * go on with the next item, maybe another tenant's, which at full speed saves a fifth of what an item costs.
     */
    default boolean leavesThreadClean() {
        return false;
    }

    /** Called once, when the worker stops and no call is running any more. */
    @Override
    default void close() {}
}
