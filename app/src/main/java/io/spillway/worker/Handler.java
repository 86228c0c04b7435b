package io.spillway.worker;

/**
 * What is done with an item. Blocking code: each call runs on a virtual thread of its own, many at once.
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

    /** Called once, when the worker stops and no call is running any more. */
    @Override
    default void close() {}
}
