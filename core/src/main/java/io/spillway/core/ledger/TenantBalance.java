package io.spillway.core.ledger;

import io.spillway.core.item.ItemState;
import java.util.Arrays;

/**
 * Balance of one tenant: items that entered and left each state. Every move adds one to each side, so accepted =
 * waiting + done + dropped + dead-lettered holds for any sum of moves. An audit compares it with the lanes.
 *
 * <p>Immutable.
 */
public final class TenantBalance {
    /** Balance of an unknown tenant. */
    public static final TenantBalance EMPTY = new TenantBalance(new long[ItemState.COUNT], new long[ItemState.COUNT]);

    private final long[] entered;
    private final long[] left;

    private TenantBalance(long[] entered, long[] left) {
        this.entered = entered;
        this.left = left;
    }

    /** Creates a balance from stored counts by state; copied. */
    public static TenantBalance of(long[] entered, long[] left) {
        if (entered.length != ItemState.COUNT || left.length != ItemState.COUNT) {
            throw new IllegalArgumentException(
                    entered.length + " and " + left.length + " counts: must be " + ItemState.COUNT + " each");
        }
        return new TenantBalance(entered.clone(), left.clone());
    }

    /** Returns this balance with one line of the ledger added: counts by new state. */
    public TenantBalance plus(ItemState from, long[] counts) {
        long[] moreLeft = new long[ItemState.COUNT];
        moreLeft[from.ordinal()] = Arrays.stream(counts).sum();
        return plus(counts, moreLeft);
    }

    /** Returns this balance with later moves added: items that entered and left since, by state. */
    public TenantBalance plus(long[] moreEntered, long[] moreLeft) {
        long[] in = entered.clone();
        long[] out = left.clone();
        for (int state = 0; state < ItemState.COUNT; state++) {
            in[state] += moreEntered[state];
            out[state] += moreLeft[state];
        }
        return new TenantBalance(in, out);
    }

    /** Returns the sum of two balances. */
    public TenantBalance plus(TenantBalance other) {
        return plus(other.entered, other.left);
    }

    /** Returns the items that ever entered a state. */
    public long entered(ItemState state) {
        return entered[state.ordinal()];
    }

    /** Returns the items that ever left a state. */
    public long left(ItemState state) {
        return left[state.ordinal()];
    }

    /** Returns the items in a state; negative only for inconsistent counts. */
    public long in(ItemState state) {
        return entered(state) - left(state);
    }

    /** Returns the items that were ever accepted. */
    public long accepted() {
        return left(ItemState.OUTSIDE);
    }

    /** Returns the items that wait in a lane. */
    public long waiting() {
        long waiting = 0;
        for (ItemState state : ItemState.WAITING) {
            waiting += in(state);
        }
        return waiting;
    }

    /** Returns the items that wait for a worker; those in delay wait for their time. */
    public long waitingForWorkers() {
        return waiting() - in(ItemState.DELAY);
    }

    /** Returns how often an item came: accepted, or replayed from the dead letters. */
    public long came() {
        return accepted() + left(ItemState.DEAD_LETTER);
    }

    /** Returns how often an item left the waiting states. */
    public long went() {
        return came() - waiting();
    }

    /** Returns accepted − (waiting + done + dropped + dead-lettered): 0 for consistent counts. */
    public long difference() {
        return accepted() - waiting() - in(ItemState.DONE) - in(ItemState.DROPPED) - in(ItemState.DEAD_LETTER);
    }

    /** Returns whether all items are done or dropped, and the counts are consistent. */
    public boolean isSettled() {
        return in(ItemState.DEAD_LETTER) == 0 && ItemState.WAITING.stream().allMatch(state -> in(state) == 0)
                && difference() == 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TenantBalance balance && Arrays.equals(entered, balance.entered)
                && Arrays.equals(left, balance.left);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(entered) + Arrays.hashCode(left);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("accepted " + accepted());
        for (ItemState state : ItemState.values()) {
            if (state != ItemState.OUTSIDE) {
                text.append(", ").append(state.label()).append(' ').append(in(state));
            }
        }
        return text.toString();
    }
}
