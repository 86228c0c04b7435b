package io.spillway.core.scheduling;

/**
 * Waiting items of one priority, first in first out.
 *
 * <p>Owner: a {@link FairQueue}, and its bound.
 */
class ItemList<T> {
    SlotLease<T> first;
    SlotLease<T> last;

    final void append(SlotLease<T> item) {
        item.before = last;
        if (last == null) {
            first = item;
        } else {
            last.after = item;
        }
        last = item;
    }

    final void unlink(SlotLease<T> item) {
        if (item.before == null) {
            first = item.after;
        } else {
            item.before.after = item.after;
        }
        if (item.after == null) {
            last = item.before;
        } else {
            item.after.before = item.before;
        }
        // It may hold its slot for long, and would keep all that came after it in memory.
        item.before = null;
        item.after = null;
    }

    /** Takes the items of another list over; it must be empty itself. */
    final void takeOver(ItemList<T> other) {
        first = other.first;
        last = other.last;
        other.first = null;
        other.last = null;
    }
}
