package io.spillway.core.scheduling;

/**
 * Slots of a worker and the limits for taking one more.
 *
 * <p>The fair share of a tenant is slots × weight ÷ the weights of all active tenants, rounded, at least 1. A tenant
 * within its share draws its first slots from the reserve while it lasts: the fraction of its share that the reserve is
 * of all slots, rounded up. All others come from the common pool. A tenant beyond its share may start only from the
 * common pool, which leaves the reserve to the others.
 *
 * <p>Slots lent for long attempts do not come back when they are needed, and such tenants would end up with every slot
 * that was ever idle. Beyond their shares they get only slots that other work has left idle during the last 5 to 10
 * seconds, and never the reserve.
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

    /** Returns whether the shares in force are off by more than an eighth; an exact update would cost too much. */
    boolean isOutdated(double weight) {
        return Math.abs(weight - activeWeight) > activeWeight / 8;
    }

    void setActiveWeight(double weight) {
        activeWeight = weight;
    }

    /** Returns the fair share of a tenant of this weight, from 1 to all slots. */
    int share(double weight) {
        return weight >= activeWeight ? slots : Math.max(1, (int) Math.round(slots * weight / activeWeight));
    }

    /** Returns how many of a tenant's slots come from the reserve. */
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

    /** Returns whether a tenant beyond its share may start. */
    boolean mayLend() {
        return inFlight < slots && inFlight - Math.min(reserved, fromReserve) < slots - reserved;
    }

    /** Returns whether a tenant beyond its share may start long work. */
    boolean mayLendLong(long nowNanos) {
        return mayLend() && lentLong < mostLong(nowNanos);
    }

    /** Returns the slots that one tenant can get now, including its own and once its cap has grown: 1 or more. */
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
