package io.spillway.handler;

/**
 * Application code that processes items.
 *
 * <p><b>Threads.</b> {@link #handle} may block. The worker calls it from many threads at once: at most
 * {@code worker.slots}, plus one for an item suspected of crashing earlier workers. Each call runs on its own virtual
 * thread, unless {@link #leavesThreadClean} returns true. The thread inherits no thread-local and has the context
 * class loader of the thread that created the worker.
 *
 * <p><b>At least once.</b> The worker may call the handler again for a processed item: after a crash, or a timed-out
 * attempt that still took effect. {@link Delivery#id} is the same in each call; use it as the idempotency key. An item
 * is not attempted again while its lease holds, also by another worker, except after the loss of a worker within the
 * first seconds of an attempt. A call that ignores its interrupt may overlap with the next. Items have no guaranteed
 * order.
 *
 * <p><b>Interrupts.</b> The worker interrupts the thread when the {@linkplain Delivery#lease lease} ends, at the latest
 * {@code worker.drainGrace} after it began to stop, and when it has lost the item's partition before the item was
 * claimed. If an interrupted call returns {@link Outcome.Done}, the item is done. Any other result counts as a timeout
 * (lease) or as not attempted (stop, lost partition). A call that ignores the interrupt keeps its slot until it ends.
 */
@FunctionalInterface
public interface Handler extends AutoCloseable {
    /**
     * Processes one attempt of one item.
     *
     * @param delivery the item and its lease, not null
     * @return the result of the attempt; null counts as a {@link Outcome.Retry}
     * @throws Exception counts as a {@link Outcome.Retry} with its text as the detail, and so does an {@link Error}. An
     *                   {@link OutOfMemoryError} stops the worker
     */
    Outcome handle(Delivery delivery) throws Exception;

    /**
     * Returns the name of the system that an item's attempt depends on, for example the host that it is sent to. Items
     * with the same destination share a retry budget and a judgement of whether the destination is unavailable, so name
     * what fails together. Default: empty, one destination for all items.
     *
     * <p>Called before each {@link #handle}, on the same thread and within the same lease. It should be quick and
     * depend on the delivery alone. The name must not contain personal data or secrets: it is part of headers, metrics
     * and dead letters. A few hundred different names are the most that make sense; the worker tracks a limited number.
     *
     * @param delivery the item and its lease, not null
     * @return the name, not null; only its first 255 characters count, and characters other than printable ASCII are
     *         replaced
     * @throws Exception counts as a failed attempt of the default destination with its text as the detail, and so does
     *                   an {@link Error} or null; {@link #handle} is not called. An {@link OutOfMemoryError} stops the
     *                   worker
     */
    default String destination(Delivery delivery) throws Exception {
        return "";
    }

    /**
     * Returns whether a call leaves no state in its thread: no thread-local, logging context or context class loader.
     * If true, threads are reused for further items, possibly of other tenants, which saves about a fifth of the CPU
     * time at full load. Must always return the same value. Default: false.
     */
    default boolean leavesThreadClean() {
        return false;
    }

    /** Releases the handler's resources. The worker calls it once, after it has stopped and no call is running. */
    @Override
    default void close() {}
}
