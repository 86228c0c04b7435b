package io.spillway.core.ledger;

import io.spillway.core.item.ItemState;
import java.util.Arrays;

/**
 * The books of one tenant: for each place how many items ever came in and how many left. Every move adds to one of each, so
 * accepted = waiting + done + dropped + dead-lettered holds in any sum of moves; whether the lanes agree is another matter,
 * which an audit looks at.
 *
 * <p>Immutable.
 */
public final class TenantBalance {
    /** Of a tenant that nothing is known of. */
    public static final TenantBalance EMPTY = new TenantBalance(new long[ItemState.COUNT], new long[ItemState.COUNT]);

    private final long[] entered;
    private final long[] left;

    private TenantBalance(long[] entered, long[] left) {
        this.entered = entered;
        this.left = left;
    }

    /**
     * Books that were written down.
     *
     * @param entered items that ever came in, by the ordinal of the place
     * @param left    items that ever left, by the ordinal of the place
     */
    public static TenantBalance of(long[] entered, long[] left) {
        if (entered.length != ItemState.COUNT || left.length != ItemState.COUNT) {
            throw new IllegalArgumentException("books of " + entered.length + " and " + left.length + " places: there are " + ItemState.COUNT);
        }
        return new TenantBalance(entered.clone(), left.clone());
    }

    /**
     * These books and one line of the ledger.
     *
     * @param from   the place that the items left
     * @param counts by the ordinal of the place that they went to
     * @param offset of the first of the counts
     */
    public TenantBalance plus(ItemState from, long[] counts, int offset) {
        long[] in = entered.clone();
        long[] out = left.clone();
        for (int place = 0; place < ItemState.COUNT; place++) {
            in[place] += counts[offset + place];
            out[from.ordinal()] += counts[offset + place];
        }
        return new TenantBalance(in, out);
    }

    /**
     * These books and what was moved since.
     *
     * @param moreEntered items that came in since, by the ordinal of the place
     * @param moreLeft    items that left since, by the ordinal of the place
     */
    public TenantBalance plus(long[] moreEntered, long[] moreLeft) {
        long[] in = entered.clone();
        long[] out = left.clone();
        for (int place = 0; place < ItemState.COUNT; place++) {
            in[place] += moreEntered[place];
            out[place] += moreLeft[place];
        }
        return new TenantBalance(in, out);
    }

    /** Items that ever came into a place. */
    public long entered(ItemState place) {
        return entered[place.ordinal()];
    }

    /** Items that ever left a place. */
    public long left(ItemState place) {
        return left[place.ordinal()];
    }

    /** Items in a place; negative only when what was booked never happened. */
    public long in(ItemState place) {
        return entered(place) - left(place);
    }

    /** Items that were ever taken in. */
    public long accepted() {
        return left(ItemState.OUTSIDE);
    }

    /** Items that wait in a lane. */
    public long waiting() {
        long waiting = 0;
        for (ItemState place : ItemState.WAITING) {
            waiting += in(place);
        }
        return waiting;
    }

    /** Times that an item came: taken in, or called back from the dead letters. One that ends at once has come and gone. */
    public long came() {
        return accepted() + left(ItemState.DEAD_LETTER);
    }

    /** Times that an item went: it came and does not wait. */
    public long went() {
        return came() - waiting();
    }

    /** accepted − (waiting + done + dropped + dead-lettered): 0, unless what was read is not books. */
    public long difference() {
        return accepted() - waiting() - in(ItemState.DONE) - in(ItemState.DROPPED) - in(ItemState.DEAD_LETTER);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TenantBalance books && Arrays.equals(entered, books.entered) && Arrays.equals(left, books.left);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(entered) + Arrays.hashCode(left);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("accepted " + accepted());
        for (ItemState place : ItemState.values()) {
            if (place != ItemState.OUTSIDE) {
                text.append(", ").append(place.label()).append(' ').append(in(place));
            }
        }
        return text.toString();
    }
}
