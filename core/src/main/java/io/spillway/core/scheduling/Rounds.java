package io.spillway.core.scheduling;

/**
 * Rounds of a deficit round robin by slot-milliseconds (Shreedhar and Varghese, "Efficient Fair Queuing Using Deficit
 * Round-Robin", 1995).
 *
 * <p>Each round grants every queue {@link #QUANTUM_MILLIS} per unit of weight. A queue is served while it has credit,
 * may overdraw by its last attempt, and then skips the rounds it has overdrawn. An attempt of 10 s costs 10,000 rounds,
 * so queues are in a heap by the next round in which they have credit, and empty rounds are skipped. Credit does not
 * accumulate: a queue that was idle, or was not allowed to start, joins the current round at the earliest. A debt is
 * kept.
 *
 * <p>Owner: a {@link LaneBuffer}, for the tenants of its lane, or a {@link WorkloadTurns}, for the workloads of one.
 */
final class Rounds {
    static final double QUANTUM_MILLIS = 1;

    private long round;
    private long turns;

    /** Gives a queue its place in the round it can join. */
    void join(TurnQueue<?> queue) {
        setRound(queue);
        queue.turn = turns++;
    }

    /** Advances to the round of a queue that is served now. */
    void serve(TurnQueue<?> queue) {
        round = Math.max(round, queue.round);
        queue.chargedMillis = Math.max(queue.chargedMillis, round * QUANTUM_MILLIS);
    }

    /** Charges a queue; a negative number refunds it. Returns whether the round in which it is served has changed. */
    boolean charge(TurnQueue<?> queue, double millis) {
        queue.chargedMillis += millis / queue.weight();
        return setRound(queue);
    }

    /** Updates the round in which a queue is next served; returns whether it has changed. */
    boolean setRound(TurnQueue<?> queue) {
        long next = Math.max(round, (long) (queue.chargedMillis / QUANTUM_MILLIS));
        if (next == queue.round) {
            return false;
        }
        queue.round = next;
        queue.turn = turns++;
        return true;
    }
}
