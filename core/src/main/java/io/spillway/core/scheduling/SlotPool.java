package io.spillway.core.scheduling;

/**
 * Account of a worker's slots: who may take a free one.
 *
 * <p>A tenant is entitled to its fair share: slots × weight ÷ the weights of all active tenants, rounded, at least 1.
 * Within it a tenant takes any free slot. Beyond it a tenant borrows. Attempts are not interrupted, so the account is
 * about how quickly borrowed slots come back. After a start in a borrowed slot,
 *
 * <ol>
 * <li>free + held by tenants that borrow nothing > what modest ones have held lately, at most the reserve: nobody
 * borrows this, because attempts that always ended soon can suddenly hang;
 * <li>free + borrowed and back soon + held by tenants that borrow nothing ≥ the reserve, for tenants that come;
 * <li>of a tenant with long attempts: lent ≤ slots - what the others and its share need (see {@link RecentDemand}).
 * </ol>
 *
 * <p>Soon is within 100 ms, or a quarter of the time of an attempt within a share (five quarters of the reserved
 * part of the slots) if that is longer. Long is four times that time and more than 200 ms, or not known. So tenants
 * with attempts of about the same length use every slot that nobody else uses, and those with far longer ones use
 * what the others have not needed at one time. The only active tenant borrows all slots: its starts are held back
 * until their ends are spread over time, and then no slot is idle.
 *
 * <p>Modest is a tenant with short attempts, and at most twice its share and one more in flight and waiting.
 *
 * <p>A tenant whose short attempts suddenly all hang has borrowed the rest of the slots before anything shows it. Who
 * comes then, or needs more than before, waits until the first of those attempts ends.
 *
 * <p>Owner: {@link FairDispatch}.
 */
final class SlotPool {
    private static final double LEAST_SOON_MILLIS = 100;
    /** Of the time in which the reserve comes free, when the ends of all attempts are evenly spread. */
    private static final double MARGIN = 1.25;
    private static final double LEAST_LONG_MILLIS = 200;
    private static final double LONG_FACTOR = 4;
    private static final int MODEST_FACTOR = 2;
    private static final int MODEST_MORE = 1;
    private static final double AVERAGE_SHARE = 1.0 / 256;

    final int slots;
    private final boolean adaptive;
    private final int reserved;
    private final double soonShare;
    private final ExpectedEnds borrowed;
    private final RecentDemand mostHeld = new RecentDemand();
    private final RecentDemand mostWanted = new RecentDemand();
    private double entitledMillis;
    private double activeWeight;
    private boolean alone;
    int inFlight;
    /** Slots that tenants hold which borrow none, or are modest. */
    private int held;
    private int ofModest;
    /** Slots that modest tenants could use now, and all others within their shares. */
    int wanted;
    /** Slots beyond the shares of those that hold them. */
    private int lent;
    long nowNanos;

    SlotPool(DispatchSettings settings) {
        this.slots = settings.slots();
        this.adaptive = settings.adaptive();
        this.reserved = settings.reservedSlots();
        this.soonShare = Math.min(1, MARGIN * reserved / slots);
        this.borrowed = new ExpectedEnds(slots);
    }

    boolean isFull() {
        return inFlight >= slots;
    }

    /** Records the time. */
    void at(long nanos) {
        nowNanos = nanos;
        mostHeld.at(ofModest, soonMillis(), nanos);
        mostWanted.at(wanted, soonMillis(), nanos);
    }

    /**
     * Follows the active tenants when one has become the only one, or is it no longer, or the shares in force are off
     * by more than an eighth; an exact update would cost too much. Returns whether shares have changed.
     */
    boolean follow(double weight, int active) {
        if (Math.abs(weight - activeWeight) <= activeWeight / 8 && alone == (active == 1)) {
            return false;
        }
        activeWeight = weight;
        alone = active == 1;
        return true;
    }

    /** Returns the fair share of a tenant of this weight, from 1 to all slots. */
    int share(double weight) {
        if (alone) {
            return slots - reserved;
        }
        return weight >= activeWeight ? slots : Math.max(1, (int) Math.round(slots * weight / activeWeight));
    }

    /** Updates a tenant's share and cap, and what it counts for in the account; returns what it may take next. */
    FairNode.Standing update(FairNode<?> tenant) {
        at(nowNanos);
        count(tenant, -1);
        tenant.share = share(tenant.weight);
        tenant.cap = cap(tenant);
        tenant.isLong = isLong(tenant);
        int demand = tenant.inFlight + (tenant.isHeld || tenant.isPaced || tenant.isAside ? 0 : tenant.waiting);
        boolean isModest = !alone && !tenant.isLong && demand <= MODEST_FACTOR * tenant.share + MODEST_MORE;
        tenant.modest = isModest ? tenant.inFlight : 0;
        tenant.holds = isModest || !alone && tenant.inFlight <= tenant.share ? tenant.inFlight : 0;
        tenant.borrows = alone ? tenant.inFlight : Math.max(0, tenant.inFlight - tenant.share);
        tenant.wants = alone ? 0 : Math.min(demand, isModest ? tenant.cap : Math.min(tenant.share, tenant.cap));
        count(tenant, 1);
        if (tenant.isHeld || tenant.isPaced || tenant.inFlight >= tenant.cap) {
            return FairNode.Standing.HELD;
        }
        if (tenant.inFlight < tenant.share) {
            return FairNode.Standing.WITHIN;
        }
        return tenant.isLong ? FairNode.Standing.LONG : FairNode.Standing.BEYOND;
    }

    private void count(FairNode<?> tenant, int sign) {
        ofModest += sign * tenant.modest;
        held += sign * tenant.holds;
        lent += sign * tenant.borrows;
        wanted += sign * tenant.wants;
    }

    /** Returns the most slots of a tenant: its policy's concurrency and, beyond its fair share, the adaptive cap. */
    private int cap(FairNode<?> tenant) {
        int most = Math.max(tenant.share, tenant.adaptive.limit());
        int ofPolicy = Math.max(0, tenant.concurrency - tenant.riders);
        // Of the only active tenant no other needs the slots, whatever they do to its own latency.
        return alone || !adaptive || most >= slots ? ofPolicy : Math.min(ofPolicy, most);
    }

    private boolean isLong(FairNode<?> tenant) {
        return !tenant.isEstimated()
                || tenant.expectedMillis(nowNanos) > Math.max(LEAST_LONG_MILLIS, LONG_FACTOR * entitledMillis);
    }

    /** Records the start of an attempt. */
    void started(SlotLease<?> attempt, boolean isBorrowed) {
        inFlight++;
        attempt.borrowedIndex = ExpectedEnds.NONE;
        if (isBorrowed || alone) {
            borrowed.started(attempt, soonMillis());
        }
    }

    void ended(SlotLease<?> attempt) {
        inFlight--;
        borrowed.ended(attempt);
    }

    /** Records how long an attempt took. */
    void measured(SlotLease<?> attempt, double millis) {
        if (attempt.borrowedIndex == ExpectedEnds.NONE || alone) {
            entitledMillis += (millis - entitledMillis) * AVERAGE_SHARE;
        }
    }

    /** Returns whether a tenant beyond its share may start. */
    boolean mayLend() {
        int left = slots - inFlight - 1;
        return left >= 0 && left + held >= kept() && left + held + borrowed.soon(soonMillis(), nowNanos) >= reserved;
    }

    /** Returns whether a tenant beyond its share may start long work. */
    boolean mayLendLong() {
        return mayLend() && lent < mostLong();
    }

    /** Returns the slots that one tenant can get soon, including its own and once its cap has grown: 1 or more. */
    int within(FairNode<?> tenant) {
        int others = inFlight - tenant.inFlight;
        int lendable = tenant.isLong ? mostLong() : Math.min(slots - kept(), slots - others);
        int cap = tenant.adaptive.isRaised() ? tenant.cap : tenant.concurrency;
        return Math.max(1, Math.min(cap, Math.max(tenant.share, lendable)));
    }

    private int kept() {
        return alone ? 0 : Math.min(reserved, 1 + (int) Math.ceil(mostHeld.most(nowNanos)));
    }

    private int mostLong() {
        return alone ? slots : slots - (int) Math.ceil(mostWanted.most(nowNanos));
    }

    private double soonMillis() {
        return Math.max(LEAST_SOON_MILLIS, soonShare * entitledMillis);
    }
}
