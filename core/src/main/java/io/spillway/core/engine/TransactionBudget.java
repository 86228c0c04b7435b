package io.spillway.core.engine;

/**
 * Budget of a thread for its transactions. A transaction costs the same whatever it holds, so its price decides: the
 * next one may begin when the thread has had as much time since the last one as this price allows. Idle time counts
 * more than busy time, so that a quiet thread commits what it has almost at once, and a busy one does not pay a large
 * part of its throughput.
 *
 * <p>The price is the average duration of the last transactions. It rises by itself where the cluster is far away or
 * the machine is busy.
 *
 * <p>Mutable, not thread-safe. Owner: the thread that commits. Times are nanoseconds of a monotonic clock.
 */
public final class TransactionBudget {
    private static final double NEWEST = 1.0 / 8;

    private final double idlePerCost;
    private final double busyPerCost;
    private final long mostCostNanos;
    private double costNanos;
    private long endedNanos;
    private long idleNanos;

    /**
     * Creates a budget with which a transaction is due at once.
     *
     * @param idlePerCost   idle time for a transaction, in prices; more than 0
     * @param busyPerCost   busy time for a transaction, in prices; more than 0
     * @param mostCostNanos limit of one duration, so that an outage has no effect for long; more than 0
     */
    public TransactionBudget(double idlePerCost, double busyPerCost, long mostCostNanos) {
        if (!(idlePerCost > 0 && busyPerCost > 0 && mostCostNanos > 0)) {
            throw new IllegalArgumentException("idlePerCost = " + idlePerCost + ", busyPerCost = " + busyPerCost
                    + ", mostCostNanos = " + mostCostNanos + ": each must be more than 0");
        }
        this.idlePerCost = idlePerCost;
        this.busyPerCost = busyPerCost;
        this.mostCostNanos = mostCostNanos;
    }

    /** Records that a transaction was committed. */
    public void committed(long startedNanos, long nowNanos) {
        double last = Math.clamp(nowNanos - startedNanos, 0, mostCostNanos);
        costNanos = costNanos == 0 ? last : costNanos + (last - costNanos) * NEWEST;
        endedNanos = nowNanos;
        idleNanos = 0;
    }

    /** Records that the thread had nothing to do for some time since the last transaction; 0 or more. */
    public void idle(long nanos) {
        idleNanos += nanos;
    }

    /** Returns how long the thread must still be idle until the next transaction is due, 0 if it is due now. */
    public long untilDueNanos(long nowNanos) {
        long busyNanos = Math.max(0, nowNanos - endedNanos - idleNanos);
        double paid = idleNanos / idlePerCost + busyNanos / busyPerCost;
        return (long) Math.max(0, (costNanos - paid) * idlePerCost);
    }
}
