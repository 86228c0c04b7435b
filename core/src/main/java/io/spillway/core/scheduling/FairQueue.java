package io.spillway.core.scheduling;

import io.spillway.core.item.ItemLimits;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/**
 * Queue of one {@link FairNode} in one lane, and the charge of the node in that lane. A queue without children has the
 * items itself: first in, first out within each priority. Between priorities the item with the earliest time goes
 * first, where each level above normal counts as a minute: an item of the lowest level is overtaken only by items that
 * came less than nine minutes after it. The size of a queue with children counts the items of all.
 *
 * <p>It is itself the list of its items of normal priority, since most have no others.
 *
 * <p>Owner: its node. Bound: the lane's.
 */
final class FairQueue<T> extends ItemList<T> {
    private static final int LEVELS = ItemLimits.MAX_PRIORITY + 1;

    final FairNode<T> node;
    final LaneBuffer<T> lane;
    /** The queue that it is a part of; null for a tenant's. */
    final FairQueue<T> parent;
    private final Turns<T> siblings;
    /** Null while its node has no children. */
    Turns<T> children;
    int size;

    /** Slot-milliseconds per unit of weight, on the scale of its {@link Turns}. */
    double chargedMillis;
    /** Round in which it is next served, and its position within that round. */
    long round;
    long turn;
    /** The heap that it is in while an item may start, or null, and its position there. */
    TurnHeap<T> heap;
    int heapIndex;
    int memberIndex;

    /** By priority; null until an item with another priority than the normal one came. */
    private List<ItemList<T>> levels;

    FairQueue(FairNode<T> node, LaneBuffer<T> lane, FairQueue<T> parent) {
        this.node = node;
        this.lane = lane;
        this.parent = parent;
        this.siblings = parent == null ? lane.turns : parent.children;
        this.children = node.isDivided() ? new Turns<>() : null;
    }

    boolean isBefore(FairQueue<T> other) {
        return round != other.round ? round < other.round : turn < other.turn;
    }

    /** Returns the queue that has its next item: its own, or that of the child whose turn it is. */
    FairQueue<T> leaf() {
        return children == null ? this : children.next(false, false);
    }

    /** Returns the queues that have its items, in a new list. */
    List<FairQueue<T>> leaves() {
        return children == null ? List.of(this) : node.parts(lane);
    }

    /** Returns the expected milliseconds of its next attempt, above 0. */
    double estimateMillis() {
        return node.estimateMillis(parent == null ? lane.averageMillis : parent.estimateMillis());
    }

    /** Adds an item to a queue without children. */
    void add(SlotLease<T> item) {
        level(item.priority).append(item);
        for (FairQueue<T> queue = this; queue != null; queue = queue.parent) {
            queue.node.waiting++;
            if (queue.node.destination != null) {
                queue.node.destination.waiting++;
            }
            if (++queue.size == 1) {
                queue.siblings.join(queue);
                if (queue.parent == null) {
                    lane.join(queue);
                }
            }
            if (queue.heap == null) {
                queue.reposition();
            }
        }
        lane.items++;
    }

    /** Removes one of its own items. */
    void remove(SlotLease<T> item) {
        level(item.priority).unlink(item);
        for (FairQueue<T> queue = this; queue != null; queue = queue.parent) {
            queue.left();
        }
        lane.items--;
    }

    /** Returns the next of its own items; null for none. */
    SlotLease<T> head() {
        return levels == null ? first : mostUrgent();
    }

    /** Takes its next item, charges all nodes that have it, and advances to their rounds. */
    SlotLease<T> serve(double chargeMillis) {
        SlotLease<T> item = head();
        level(item.priority).unlink(item);
        for (FairQueue<T> queue = this; queue != null; queue = queue.parent) {
            queue.siblings.serve(queue);
            queue.left();
            queue.siblings.charge(queue, chargeMillis);
        }
        lane.items--;
        return item;
    }

    private void left() {
        node.waiting--;
        if (node.destination != null) {
            node.destination.waiting--;
            if (node.isAside && node.waiting == 0) {
                node.putAside(false);
            }
        }
        if (--size == 0 && parent == null) {
            lane.leave(this);
        }
        reposition();
    }

    /** Charges all nodes that have its items; a negative number refunds them. */
    void charge(double millis) {
        for (FairQueue<T> queue = this; queue != null; queue = queue.parent) {
            queue.siblings.charge(queue, millis);
        }
    }

    /** Follows a change of its items, of its node's standing, or of its children. */
    void reposition() {
        boolean isBlocked = size == 0 || node.isAside || children != null && children.isBlocked();
        TurnHeap<T> next = isBlocked ? null : siblings.heap(node.standing);
        if (next == heap) {
            return;
        }
        if (heap != null) {
            heap.remove(this);
        }
        heap = next;
        if (next != null) {
            siblings.setRound(this);
            next.insert(this);
        }
    }

    /** Divides the queue of a node that gets children: the items that wait already are those of this child. */
    void divide(FairNode<T> unnamed) {
        children = new Turns<>();
        if (size > 0) {
            FairQueue<T> part = unnamed.queue(lane);
            part.takeOver(this);
            if (levels != null) {
                part.levels = levels;
                part.levels.set(ItemLimits.NORMAL_PRIORITY, part);
                levels = null;
            }
            part.size = size;
            unnamed.waiting += size;
            children.join(part);
            part.reposition();
        }
    }

    /** Visits its items, workload by workload, level by level; the visitor gets the place within both, from 0. */
    void visit(BiPredicate<T, Integer> visitor) {
        for (FairQueue<T> leaf : leaves()) {
            for (ItemList<T> level : leaf.levels()) {
                SlotLease<T> next = level.first;
                for (int place = 0; next != null && visitor.test(next.item(), place); place++) {
                    next = next.after;
                }
            }
        }
    }

    /** Removes items of a queue without children. */
    void removeIf(Predicate<T> gone) {
        for (ItemList<T> level : levels()) {
            SlotLease<T> after;
            for (SlotLease<T> item = level.first; item != null; item = after) {
                after = item.after;
                if (gone.test(item.item())) {
                    remove(item);
                }
            }
        }
    }

    /** Returns this many of its own items from the end, in the order in which they would be served. */
    List<SlotLease<T>> tail(int count) {
        List<SlotLease<T>> tail = new ArrayList<>(count);
        List<SlotLease<T>> ends = new ArrayList<>();
        levels().forEach(level -> ends.add(level.last));
        while (tail.size() < count) {
            int lastIndex = 0;
            for (int i = 1; i < ends.size(); i++) {
                SlotLease<T> end = ends.get(i);
                SlotLease<T> last = ends.get(lastIndex);
                lastIndex = end != null && (last == null || last.isBefore(end)) ? i : lastIndex;
            }
            tail.add(ends.get(lastIndex));
            ends.set(lastIndex, ends.get(lastIndex).before);
        }
        Collections.reverse(tail);
        return tail;
    }

    private SlotLease<T> mostUrgent() {
        SlotLease<T> found = null;
        for (ItemList<T> level : levels) {
            found = level.first != null && (found == null || level.first.isBefore(found)) ? level.first : found;
        }
        return found;
    }

    private List<ItemList<T>> levels() {
        return levels == null ? List.of(this) : levels;
    }

    private ItemList<T> level(int priority) {
        if (levels == null) {
            if (priority == ItemLimits.NORMAL_PRIORITY) {
                return this;
            }
            levels = new ArrayList<>(LEVELS);
            for (int i = 0; i < LEVELS; i++) {
                levels.add(i == ItemLimits.NORMAL_PRIORITY ? this : new ItemList<>());
            }
        }
        return levels.get(priority);
    }
}
