package io.spillway.core.scheduling;

/**
 * Scheduling state of one tenant: its queues, the slots it holds and its average latency.
 *
 * <p>Owner: {@link FairDispatch}; {@link TenantTable} owns the links of idle tenants. Bound: the table's.
 */
final class DispatchTenant<T> {
    /** Attempts after which the average becomes an exponential one. */
    private static final int ESTIMATE_SAMPLES = 16;

    final String name;
    final AdaptiveCap adaptive = new AdaptiveCap();
    private final TenantQueue<T>[] queues;

    double weight;
    int concurrency = Integer.MAX_VALUE;
    int inFlight;
    int waiting;

    /** Derived values, which {@link FairDispatch} updates after each change. */
    SlotEntitlement standing = SlotEntitlement.WITHIN;
    int share = 1;
    int cap = Integer.MAX_VALUE;
    boolean isLong;
    /** Whether none of its items may start, see {@link FairDispatch#hold}. */
    boolean held;
    int fromReserve;
    int runningIndex;

    /** When the last item moved to the delay lane is due, epoch milliseconds, and the time between two of them. */
    double lastDueMillis;
    double dueApartMillis;

    boolean active;
    boolean idle;
    long idleSinceNanos;
    DispatchTenant<T> idleBefore;
    DispatchTenant<T> idleAfter;

    private int samples;
    private double averageMillis;

    // Java cannot create an array of a generic type. Only this class stores queues in it.
    @SuppressWarnings({"unchecked", "rawtypes"})
    DispatchTenant(String name, double weight) {
        this.name = name;
        this.weight = weight;
        this.queues = new TenantQueue[LaneBuffer.COUNT];
    }

    /** Returns the tenant's queue in a lane, created on first use. */
    TenantQueue<T> queue(LaneBuffer<T> lane) {
        TenantQueue<T> queue = queues[lane.index()];
        if (queue == null) {
            queue = new TenantQueue<>(this, lane);
            queues[lane.index()] = queue;
        }
        return queue;
    }

    /** Returns the queue in a lane by its index, or null when the tenant has never waited there. */
    TenantQueue<T> queueOrNull(int lane) {
        return queues[lane];
    }

    boolean isBusy() {
        return waiting > 0 || inFlight > 0;
    }

    /** Returns the expected milliseconds of the next attempt, above 0; the prior when no attempt has ended yet. */
    double estimateMillis(double priorMillis) {
        return Math.max(FairDispatch.LEAST_CHARGE_MILLIS, samples == 0 ? priorMillis : averageMillis);
    }

    void attemptEnded(double millis) {
        samples = Math.min(samples + 1, ESTIMATE_SAMPLES);
        averageMillis += (millis - averageMillis) / samples;
    }
}
