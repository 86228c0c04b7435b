package io.spillway.core.scheduling;

/**
 * What dispatch knows of one tenant: its queues, what it holds, and how long its attempts take.
 *
 * <p>Owner: {@link FairDispatch}; {@link TenantTable} owns the links of idleness. Bound: the table's.
 */
final class DispatchTenant<T> {
    /** Of a tenant's average, the weight of the newest attempt once there are enough. */
    private static final int ESTIMATE_SAMPLES = 16;

    final String name;
    final AdaptiveCap adaptive = new AdaptiveCap();
    private final TenantQueue<T>[] queues;

    double weight;
    int concurrency = Integer.MAX_VALUE;
    int inFlight;
    int waiting;

    /** Settled by {@link FairDispatch} after each change of what they follow from. */
    SlotEntitlement standing = SlotEntitlement.WITHIN;
    int share = 1;
    int cap = Integer.MAX_VALUE;
    boolean isLong;
    int fromReserve;
    int runningIndex = -1;

    /** When the next item moved to the delay lane is due, milliseconds since 1970. */
    double nextDueMillis;

    boolean active;
    boolean idle;
    long idleSinceNanos;
    DispatchTenant<T> idleBefore;
    DispatchTenant<T> idleAfter;

    private int samples;
    private double averageMillis;

    // An array of a generic type cannot be made; only this class puts queues into it.
    @SuppressWarnings({"unchecked", "rawtypes"})
    DispatchTenant(String name, double weight) {
        this.name = name;
        this.weight = weight;
        this.queues = new TenantQueue[LaneBuffer.COUNT];
    }

    /** The tenant's queue in a lane, made when first asked for. */
    TenantQueue<T> queue(LaneBuffer<T> lane) {
        TenantQueue<T> queue = queues[lane.index()];
        if (queue == null) {
            queue = new TenantQueue<>(this, lane);
            queues[lane.index()] = queue;
        }
        return queue;
    }

    /** The queue in a lane by its index, or null when the tenant has never waited there. */
    TenantQueue<T> queueOrNull(int lane) {
        return queues[lane];
    }

    boolean isBusy() {
        return waiting > 0 || inFlight > 0;
    }

    /** Expected milliseconds of its next attempt, above 0; the prior when none has ended yet. */
    double estimateMillis(double priorMillis) {
        return Math.max(FairDispatch.LEAST_CHARGE_MILLIS, samples == 0 ? priorMillis : averageMillis);
    }

    void attemptEnded(double millis) {
        samples = Math.min(samples + 1, ESTIMATE_SAMPLES);
        averageMillis += (millis - averageMillis) / samples;
    }
}
