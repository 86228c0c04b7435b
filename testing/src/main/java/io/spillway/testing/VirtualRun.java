package io.spillway.testing;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Result of a run: every item, in the order in which they were sent. Immutable.
 *
 * @param items copied, not null
 */
public record VirtualRun(List<ItemResult> items) {
    public VirtualRun {
        items = List.copyOf(items);
    }

    /** Returns the result of the items of one tenant alone. */
    public VirtualRun of(String tenant) {
        return where(item -> item.tenant().equals(tenant));
    }

    /** Returns the result of the items that the handler finished. */
    public VirtualRun done() {
        return in(ItemResult.State.DONE);
    }

    /** Returns the result of the dead letters. */
    public VirtualRun dead() {
        return in(ItemResult.State.DEAD);
    }

    /** Returns the result of the items that were not finished when the run ended. */
    public VirtualRun waiting() {
        return in(ItemResult.State.WAITING);
    }

    /** Returns the number of items. */
    public int size() {
        return items.size();
    }

    /** Returns the calls of the handler, of all items together. */
    public int attempts() {
        return items.stream().mapToInt(ItemResult::attempts).sum();
    }

    /**
     * Returns the result of one item.
     *
     * @throws IllegalArgumentException if there is not exactly one item with this id
     */
    public ItemResult item(String id) {
        List<ItemResult> found = items.stream().filter(item -> item.id().equals(id)).toList();
        if (found.size() != 1) {
            throw new IllegalArgumentException(found.size() + " items have the id " + id + ". Send it once.");
        }
        return found.getFirst();
    }

    /**
     * Returns the greatest age at the first call. An item that waits without a call counts as none.
     *
     * @return empty if there was no call
     */
    public Optional<Duration> oldestFirstAttempt() {
        return items.stream().flatMap(item -> item.firstAttemptAge().stream()).max(Comparator.naturalOrder());
    }

    private VirtualRun in(ItemResult.State state) {
        return where(item -> item.state() == state);
    }

    private VirtualRun where(Predicate<ItemResult> condition) {
        return new VirtualRun(items.stream().filter(condition).toList());
    }
}
