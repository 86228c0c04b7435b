package io.spillway.core.scheduling;

/**
 * The slots of a worker: who may take one more.
 *
 * <p>The fair share of a tenant is slots × weight ÷ the weights of all active tenants, rounded, at least 1. The
 * first slots of every tenant within its share (the part of its share that the reserve is of all slots, rounded up) come
 * out of the reserve while it lasts; all others are from the common pool. A tenant beyond its share may start only from
 * the common pool, so what it and its like hold leaves the reserve to the others. Who merely has its share cannot use up
 * the reserve either, for it draws only a part of its share from it.
 *
 * <p>A slot lent for long work is not back when it is needed, and who holds each slot a thousand times longer ends up
 * with every slot that was ever idle. So tenants with long work get beyond their shares only what other work has left
 * idle all through the last 5 to 10 seconds, and never the reserve.
 *
 * <p>Owner: {@link FairDispatch}.
 */
final class SlotPool {
    final int slots;
    private final int reserved;
    private final RecentPeak otherWork = new RecentPeak();
    private double activeWeight;
    private int inFlight;
    private int fromReserve;
    private int lentLong;

    SlotPool(int slots, int reserved) {
        this.slots = slots;
        this.reserved = reserved;
    }

    int inFlight() {
        return inFlight;
    }

    boolean isFull() {
        return inFlight >= slots;
    }

    /**
     * Whether the shares in force are more than an eighth away from what the weights say. To follow every coming and
     * going exactly would cost a pass over the tenants in flight each time; this way it costs less than ten steps.
     */
    boolean isOutdated(double weight) {
        return Math.abs(weight - activeWeight) > activeWeight / 8;
    }

    void setActiveWeight(double weight) {
        activeWeight = weight;
    }

    /** The fair share of a tenant of this weight, from 1 to all slots. */
    int share(double weight) {
        return weight >= activeWeight ? slots : Math.max(1, (int) Math.round(slots * weight / activeWeight));
    }

    /** Slots that a tenant holds out of the reserve. */
    int drawnFromReserve(int held, int share) {
        return held > share ? 0 : (int) Math.min(held, Math.ceilDiv((long) share * reserved, slots));
    }

    void changeFromReserve(int difference) {
        fromReserve += difference;
    }

    void started(boolean asLong, long nowNanos) {
        inFlight++;
        lentLong += asLong ? 1 : 0;
        otherWork.note(inFlight - lentLong, nowNanos);
    }

    void ended(boolean asLong) {
        inFlight--;
        lentLong -= asLong ? 1 : 0;
    }

    /** Whether a tenant beyond its share may start. */
    boolean mayLend() {
        return inFlight < slots && inFlight - Math.min(reserved, fromReserve) < slots - reserved;
    }

    /** Whether a tenant beyond its share may start long work. */
    boolean mayLendLong(long nowNanos) {
        return mayLend() && lentLong < mostLong(nowNanos);
    }

    /** Slots that one tenant can get, as things are, its own included and once its cap has grown: 1 or more. */
    int within(DispatchTenant<?> tenant, boolean isLong, long nowNanos) {
        int others = inFlight - tenant.inFlight;
        int lendable = isLong ? mostLong(nowNanos) : Math.min(slots - reserved, slots - others);
        int cap = tenant.adaptive.isRaised() ? tenant.cap : tenant.concurrency;
        return Math.max(1, Math.min(cap, Math.max(tenant.share, lendable)));
    }

    private int mostLong(long nowNanos) {
        otherWork.note(inFlight - lentLong, nowNanos);
        return slots - Math.max(reserved, otherWork.value(nowNanos));
    }
}
