package io.spillway.operator.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * First values of many, in an order, without sorting all of them. Used by one thread. Bound: twice as many values as
 * are kept, and {@value #SLACK}.
 *
 * @param <T> the values; no two of them are equal in the order
 */
final class FirstOf<T> {
    /** A sort for fewer values than this would cost more than it saves. */
    private static final int SLACK = 1_000;

    private final Comparator<? super T> order;
    private final int most;
    private final List<T> kept = new ArrayList<>();
    /** The last one that is kept so far; null until something was left out. */
    private T last;

    /** @param most how many are kept, 0 or more */
    FirstOf(int most, Comparator<? super T> order) {
        this.most = most;
        this.order = order;
    }

    void add(T value) {
        if (last == null || order.compare(value, last) < 0) {
            kept.add(value);
        }
        if (kept.size() >= 2L * most + SLACK) {
            cut();
            last = most == 0 ? null : kept.getLast();
        }
    }

    /** Returns the first values in order; the list is this object's own. */
    List<T> sorted() {
        cut();
        return kept;
    }

    private void cut() {
        kept.sort(order);
        kept.subList(Math.min(most, kept.size()), kept.size()).clear();
    }
}
