package io.spillway.core.retry;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/**
 * Order of one group's parked items: by class of attempts, and within a class by end. Items with fewer attempts go
 * first, so that the retries of a long outage are spread over all items of a tenant.
 *
 * <p>An element stands for the items of one class that has any: a queue, or its first key.
 *
 * <p>Not thread-safe. Owner: its creator. Bound: {@value #CLASSES} elements.
 */
public final class AttemptClasses<T> {
    /** Number of classes: 1, 2 and 3, 4 to 7, 8 to 15 attempts, and so on; the last one is 64 and more. */
    public static final int CLASSES = 7;

    private final ToLongFunction<T> endMillis;
    private final Object[] elements = new Object[CLASSES];

    /**
     * Creates an order without elements.
     *
     * @param endMillis returns the end of the first item of an element, epoch milliseconds
     */
    public AttemptClasses(ToLongFunction<T> endMillis) {
        this.endMillis = endMillis;
    }

    /** Returns the class of items with this many attempts: the bits of the number, 1 to {@link #CLASSES}. */
    public static int of(int attempts) {
        return Math.clamp(Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(0, attempts)), 1, CLASSES);
    }

    /** Returns the element of a class, 1 to {@link #CLASSES}; empty without items. */
    @SuppressWarnings("unchecked")
    public Optional<T> get(int attemptClass) {
        return Optional.ofNullable((T) elements[attemptClass - 1]);
    }

    /** Adds or replaces the element of a class, 1 to {@link #CLASSES}. */
    public void set(int attemptClass, T element) {
        elements[attemptClass - 1] = element;
    }

    /** Removes the element of a class, 1 to {@link #CLASSES}. */
    public void remove(int attemptClass) {
        elements[attemptClass - 1] = null;
    }

    /** Returns the lowest class with items: its first item is the next to go; empty without items. */
    public Optional<T> lowest() {
        return first(false);
    }

    /** Returns the class whose first item ends before those of all others; empty without items. */
    public Optional<T> firstToEnd() {
        return first(true);
    }

    /** Returns when the first item of any class ends, epoch milliseconds; empty without items. */
    public OptionalLong firstEndMillis() {
        Optional<T> first = firstToEnd();
        return first.isEmpty() ? OptionalLong.empty() : OptionalLong.of(endMillis.applyAsLong(first.get()));
    }

    private Optional<T> first(boolean byEnd) {
        Optional<T> first = Optional.empty();
        for (int attemptClass = 1; attemptClass <= CLASSES && (byEnd || first.isEmpty()); attemptClass++) {
            Optional<T> element = get(attemptClass);
            if (first.isEmpty() || element.isPresent()
                    && endMillis.applyAsLong(element.get()) < endMillis.applyAsLong(first.get())) {
                first = element;
            }
        }
        return first;
    }
}
