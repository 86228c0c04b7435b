package io.spillway.handler;

import java.util.List;

/**
 * Handler that processes several items in one call, where a call has a fixed cost: a request, a transaction, a bulk
 * insert. As {@link Handler}, with these differences.
 *
 * <p><b>Items.</b> The items of a call wait at the time when its slot is free: none is delayed to make a call larger.
 * They have the same tenant, workload and lane. An item that was attempted before, or may have been the cause of a
 * crash, is in a call of its own, so a call is often for one item.
 *
 * <p><b>Failures.</b> A call that throws, is interrupted, or does not return an outcome for each item says nothing of
 * a single one. Each of its items is retried, in a call of its own. The failed call counts in {@link Delivery#attempt},
 * but not towards the tenant's {@code attempts}. An item for which an interrupted call returned {@link Outcome.Done} is
 * done. A call that does not return after an interrupt ends all of its items, as {@link Handler} says.
 *
 * <p><b>Lease.</b> The items of a call have one lease: renewing that of one renews it for all.
 */
@FunctionalInterface
public interface BatchHandler extends Handler {
    /** Most items of one call that {@link #maxItems} may return. */
    int MOST_ITEMS = 1_000;

    /**
     * Processes one attempt of each of these items.
     *
     * @param deliveries 1 to {@link #maxItems} items, not modifiable
     * @return the result of each, in the order of the items; null stands for a {@link Outcome.Retry} of that item
     * @throws Exception counts as a {@link Outcome.Retry} of each item, with its text as the detail, and so does an
     *                   {@link Error}. An {@link OutOfMemoryError} stops the worker
     */
    List<Outcome> handleAll(List<Delivery> deliveries) throws Exception;

    /**
     * Returns the most items of one call. Called often, under a lock of the worker: it must return at once, and always
     * the same for a workload. An exception counts as 1. Default: 100.
     *
     * @param workload of the items, empty for none
     * @return from 1 to {@link #MOST_ITEMS}; what is outside counts as the nearer of the two
     */
    default int maxItems(String workload) {
        return 100;
    }

    /** Processes one item, as {@link #handleAll} does. */
    @Override
    default Outcome handle(Delivery delivery) throws Exception {
        List<Outcome> outcomes = handleAll(List.of(delivery));
        if (outcomes == null || outcomes.size() != 1) {
            return Outcome.retry("The handler did not return one outcome for one item.");
        }
        return outcomes.getFirst();
    }
}
