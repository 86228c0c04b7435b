package io.spillway.core.scheduling;

/**
 * Slots of a worker and the limits for taking one more.
 *
 * <p>The fair share of a tenant is slots × weight ÷ the weights of all active tenants, rounded, at least 1; of the only
 * active tenant it is all slots but the reserve. A tenant within its share draws its first slots from the reserve while
 * it lasts: the fraction of its share that the reserve is of all slots, rounded up. All others come from the common
 * pool, and so do all slots of the only active tenant.
 *
 * <p>A tenant beyond its share may start when enough slots stay free after it, by two rules:
 *
 * <ul>
 * <li>For what may come: as many slots as the reserve has are drawn from it, or are free or expected to come free soon
 * (see {@link ExpectedEnds}). Short attempts always end soon, so they leave no slot idle. Long ones leave the reserve
 * idle while other tenants are active. Those of one tenant alone may use it too: its starts are held back until their
 * ends are spread over time, and then no slot is idle.
 * <li>For active tenants: what tenants within their shares have held at one time during the last 5 to 10 seconds, at
 * least 1 and at most the reserve, less what is drawn from it. No attempt counts for it, however soon it should end, so
 * a tenant whose destination hangs cannot take these slots.
 * </ul>
 *
 * <p>A tenant whose short attempts suddenly all hang has taken the rest of the reserve before anything shows it; the
 * only active tenant has taken every slot. Tenants that come then, and active ones that need more than before, wait
 * until the first of those attempts ends.
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
    private final ExpectedEnds ends;
    private final RecentPeak otherWork = new RecentPeak();
    private final RecentPeak withinShares = new RecentPeak();
    private double activeWeight;
    private boolean alone;
    private int inFlight;
    private int fromReserve;
    private int heldWithinShares;
    private int lentLong;

    SlotPool(int slots, int reserved) {
        this.slots = slots;
        this.reserved = reserved;
        this.ends = new ExpectedEnds(slots, reserved);
    }

    int inFlight() {
        return inFlight;
    }

    boolean isFull() {
        return inFlight >= slots;
    }

    /** Returns whether only one tenant is active. */
    boolean isAlone() {
        return alone;
    }

    /**
     * Returns whether a tenant has become the only active one, or is it no longer, or the shares in force are off by
     * more than an eighth; an exact update would cost too much.
     */
    boolean isOutdated(double weight, int active) {
        return Math.abs(weight - activeWeight) > activeWeight / 8 || alone != (active == 1);
    }

    void setActive(double weight, int active) {
        activeWeight = weight;
        alone = active == 1;
    }

    /** Returns the fair share of a tenant of this weight, from 1 to all slots. */
    int share(double weight) {
        if (alone) {
            return slots - reserved;
        }
        return weight >= activeWeight ? slots : Math.max(1, (int) Math.round(slots * weight / activeWeight));
    }

    /** Follows the slots that a tenant holds, and its share. */
    void update(DispatchTenant<?> tenant) {
        int withinShare = alone || tenant.inFlight > tenant.share ? 0 : tenant.inFlight;
        heldWithinShares += withinShare - tenant.withinShare;
        tenant.withinShare = withinShare;
        int drawn = withinShare == 0 ? 0
                : (int) Math.min(withinShare, Math.ceilDiv((long) tenant.share * reserved, slots));
        fromReserve += drawn - tenant.fromReserve;
        tenant.fromReserve = drawn;
    }

    /** Records a start, and returns its entry for {@link #ended}; see {@link ExpectedEnds#started}. */
    int started(boolean asLong, double expectedMillis, long nowNanos) {
        inFlight++;
        lentLong += asLong ? 1 : 0;
        otherWork.note(inFlight - lentLong, nowNanos);
        return ends.started(expectedMillis, nowNanos);
    }

    void ended(boolean asLong, int expectedEnd, long nowNanos) {
        // Noted at ends, since a tenant that goes beyond its share holds slots within it only for an instant.
        withinShares.note(heldWithinShares, nowNanos);
        ends.ended(expectedEnd);
        inFlight--;
        lentLong -= asLong ? 1 : 0;
    }

    /** Returns whether a tenant beyond its share may start. */
    boolean mayLend(long nowNanos) {
        int free = slots - inFlight;
        int drawn = Math.min(reserved, fromReserve);
        if (free <= 0 || free + drawn > reserved) {
            return free > 0;
        }
        return free + Math.max(drawn, ends.soon(alone, nowNanos)) > reserved && free + drawn > keptForActive(nowNanos);
    }

    /** Returns whether a tenant beyond its share may start long work. */
    boolean mayLendLong(long nowNanos) {
        return inFlight < slots && inFlight - Math.min(reserved, fromReserve) < slots - reserved
                && lentLong < mostLong(nowNanos);
    }

    /** Returns the slots that one tenant can get soon, including its own and once its cap has grown: 1 or more. */
    int within(DispatchTenant<?> tenant, boolean isLong, long nowNanos) {
        int others = inFlight - tenant.inFlight;
        int lendable = isLong ? mostLong(nowNanos) : Math.min(slots - keptForActive(nowNanos), slots - others);
        int cap = tenant.adaptive.isRaised() ? tenant.cap : tenant.concurrency;
        return Math.max(1, Math.min(cap, Math.max(tenant.share, lendable)));
    }

    /** Returns the slots that a tenant beyond its share leaves to other active ones, with those that these hold. */
    private int keptForActive(long nowNanos) {
        return alone ? 0 : Math.min(reserved, Math.max(1, withinShares.value(nowNanos)));
    }

    private int mostLong(long nowNanos) {
        otherWork.note(inFlight - lentLong, nowNanos);
        return slots - Math.max(reserved, otherWork.value(nowNanos));
    }
}
