package io.spillway.core.scheduling;

import io.spillway.core.item.ItemLimits;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/**
 * Waiting items, first in first out within each priority. Between priorities the item with the earliest time goes
 * first, where each level above normal counts as a minute: an item of the lowest level is overtaken only by items that
 * came less than nine minutes after it.
 *
 * <p>Without priorities it is one linked list, and the others are never allocated.
 *
 * <p>Owner: the {@link LaneBuffer} of its lane, the only caller of its mutators. Bound: the lane's.
 */
class EntryQueue<T> {
    private QueueEntry<T> first;
    private QueueEntry<T> last;
    /** First and last item of each level but the normal one; null until an item with such a priority came. */
    private QueueEntry<T>[] firsts;
    private QueueEntry<T>[] lasts;
    int size;

    /** Returns the next item to serve, or null when it is empty. */
    final QueueEntry<T> head() {
        return firsts == null ? first : mostUrgent();
    }

    final void append(QueueEntry<T> waiting) {
        QueueEntry<T> end = end(waiting.priority);
        waiting.before = end;
        if (end == null) {
            setStart(waiting.priority, waiting);
        } else {
            end.after = waiting;
        }
        setEnd(waiting.priority, waiting);
        size++;
    }

    final void unlink(QueueEntry<T> waiting) {
        if (waiting.before == null) {
            setStart(waiting.priority, waiting.after);
        } else {
            waiting.before.after = waiting.after;
        }
        if (waiting.after == null) {
            setEnd(waiting.priority, waiting.before);
        } else {
            waiting.after.before = waiting.before;
        }
        size--;
    }

    /** Takes all items of an own list over; it must be empty itself. */
    final void takeOver(EntryQueue<T> other) {
        first = other.first;
        last = other.last;
        firsts = other.firsts;
        lasts = other.lasts;
        size = other.size;
        other.first = null;
        other.last = null;
        other.firsts = null;
        other.lasts = null;
    }

    /** Visits each item, level by level; the visitor may unlink the item it is given. */
    final void forEach(Consumer<QueueEntry<T>> visitor) {
        for (int priority = 0; priority < QueueEntry.LEVELS; priority++) {
            QueueEntry<T> after;
            for (QueueEntry<T> each = start(priority); each != null; each = after) {
                after = each.after;
                visitor.accept(each);
            }
        }
    }

    /** Visits its own items, level by level, each level's as they came. */
    final void visit(WaitingVisitor<T> visitor) {
        for (int priority = 0; priority < QueueEntry.LEVELS; priority++) {
            QueueEntry<T> next = start(priority);
            for (int place = 0; next != null && visitor.visit(next.item, place); place++) {
                next = next.after;
            }
        }
    }

    /** Returns this many of its items from the end, in the order in which they would be served. */
    final List<QueueEntry<T>> tail(int count) {
        List<QueueEntry<T>> tail = new ArrayList<>(count);
        QueueEntry<T> next = last;
        if (firsts == null) {
            for (; tail.size() < count; next = next.before) {
                tail.add(next);
            }
        } else {
            QueueEntry<T>[] ends = lasts.clone();
            ends[ItemLimits.NORMAL_PRIORITY] = last;
            while (tail.size() < count) {
                next = null;
                for (QueueEntry<T> end : ends) {
                    next = end != null && (next == null || next.isBefore(end)) ? end : next;
                }
                tail.add(next);
                ends[next.priority] = next.before;
            }
        }
        Collections.reverse(tail);
        return tail;
    }

    private QueueEntry<T> mostUrgent() {
        QueueEntry<T> found = first;
        for (QueueEntry<T> start : firsts) {
            found = start != null && (found == null || start.isBefore(found)) ? start : found;
        }
        return found;
    }

    private QueueEntry<T> start(int priority) {
        return priority == ItemLimits.NORMAL_PRIORITY ? first : firsts == null ? null : firsts[priority];
    }

    private QueueEntry<T> end(int priority) {
        return priority == ItemLimits.NORMAL_PRIORITY ? last : lasts == null ? null : lasts[priority];
    }

    private void setStart(int priority, QueueEntry<T> start) {
        if (priority == ItemLimits.NORMAL_PRIORITY) {
            first = start;
        } else {
            level();
            firsts[priority] = start;
        }
    }

    private void setEnd(int priority, QueueEntry<T> end) {
        if (priority == ItemLimits.NORMAL_PRIORITY) {
            last = end;
        } else {
            lasts[priority] = end;
        }
    }

    // Java cannot create an array of a generic type. Only this class stores entries in it.
    @SuppressWarnings({"unchecked", "rawtypes"})
    private void level() {
        if (firsts == null) {
            firsts = new QueueEntry[QueueEntry.LEVELS];
            lasts = new QueueEntry[QueueEntry.LEVELS];
        }
    }
}
