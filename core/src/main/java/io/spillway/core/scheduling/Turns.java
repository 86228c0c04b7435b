package io.spillway.core.scheduling;

/**
 * Turns of the sibling queues in one lane, of all tenants or of one tenant's workloads: a deficit round robin by
 * slot-milliseconds (Shreedhar and Varghese, "Efficient Fair Queuing Using Deficit Round-Robin", 1995).
 *
 * <p>Each round grants every queue one slot-millisecond per unit of weight. A queue is served while it has credit, may
 * overdraw by its last attempt, and then skips the rounds it has overdrawn. An attempt of 10 s costs 10,000 rounds, so
 * queues are in a heap by the next round in which they have credit, and empty rounds are skipped. Credit does not
 * accumulate: a queue that was idle, or was not allowed to start, joins the current round at the earliest. A debt is
 * kept.
 *
 * <p>Owner: a {@link LaneBuffer}, or the {@link FairQueue} of a tenant. Bound: the queues with items.
 */
final class Turns<T> {
    private final TurnHeap<T> within = new TurnHeap<>();
    private final TurnHeap<T> beyond = new TurnHeap<>();
    private final TurnHeap<T> beyondLong = new TurnHeap<>();
    private long round;
    private long turns;

    /** Returns the next queue among those that may start, or null. */
    FairQueue<T> next(boolean mayLend, boolean mayLendLong) {
        FairQueue<T> next = within.first();
        next = mayLend ? earlier(next, beyond.first()) : next;
        return mayLendLong ? earlier(next, beyondLong.first()) : next;
    }

    private static <T> FairQueue<T> earlier(FairQueue<T> found, FairQueue<T> other) {
        return other == null || found != null && !other.isBefore(found) ? found : other;
    }

    /** Returns whether no queue may start, although items may wait. */
    boolean isBlocked() {
        return within.first() == null && beyond.first() == null && beyondLong.first() == null;
    }

    /** Returns the heap of the queues whose nodes have this standing; null for those that may not start. */
    TurnHeap<T> heap(FairNode.Standing standing) {
        return switch (standing) {
            case WITHIN -> within;
            case BEYOND -> beyond;
            case LONG -> beyondLong;
            case HELD -> null;
        };
    }

    /** Adds a queue, which now has items, to the round it can join. */
    void join(FairQueue<T> queue) {
        setRound(queue);
        queue.turn = turns++;
    }

    /** Advances to the round of a queue that is served now. */
    void serve(FairQueue<T> queue) {
        round = Math.max(round, queue.round);
        queue.chargedMillis = Math.max(queue.chargedMillis, round);
    }

    /** Charges a queue; a negative number refunds it. */
    void charge(FairQueue<T> queue, double millis) {
        queue.chargedMillis += millis / queue.node.weight;
        if (setRound(queue) && queue.heap != null) {
            queue.heap.moved(queue);
        }
    }

    /** Updates the round in which a queue is next served; returns whether it has changed. */
    boolean setRound(FairQueue<T> queue) {
        long next = Math.max(round, (long) queue.chargedMillis);
        if (next == queue.round) {
            return false;
        }
        queue.round = next;
        queue.turn = turns++;
        return true;
    }
}
