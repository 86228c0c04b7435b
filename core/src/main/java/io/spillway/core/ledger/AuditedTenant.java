package io.spillway.core.ledger;

import io.spillway.core.item.ItemState;
import java.util.ArrayList;
import java.util.List;

/**
 * A tenant's books, read before and after its items were counted where they lie, and that count.
 *
 * <p>While items move, a place holds at the time of the count at the least what had come in before and had not left by the
 * end, and at the most what had come in by the end and had not left before. When nothing moves, the two are one number.
 *
 * @param tenant  or who stands for nobody
 * @param before  of a time before the count
 * @param after   of a time after the count
 * @param counted items found, by the ordinal of the {@link ItemState}
 */
public record AuditedTenant(String tenant, TenantBalance before, TenantBalance after, long[] counted) {
    /** Where items can be counted; who is done or dropped has left no item behind. */
    public static final List<ItemState> COUNTED = List.of(ItemState.HOT, ItemState.OVERFLOW, ItemState.AGED, ItemState.DELAY, ItemState.DEAD_LETTER);

    /**
     * A place where books and items do not agree.
     *
     * @param least   items that there must be by the books
     * @param most    items that there may be by the books
     * @param counted items that there are
     */
    public record Finding(ItemState place, long least, long most, long counted) {}

    /** The least that there must be in a place by the books. */
    public long least(ItemState place) {
        return before.entered(place) - after.left(place);
    }

    /** The most that there may be in a place by the books. */
    public long most(ItemState place) {
        return after.entered(place) - before.left(place);
    }

    /** Items found in a place. */
    public long counted(ItemState place) {
        return counted[place.ordinal()];
    }

    /** Whether any of its items moved meanwhile. */
    public boolean isMoving() {
        return !before.equals(after);
    }

    /** What is off; empty when the books balance and the items are where the books say. */
    public List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        for (ItemState place : COUNTED) {
            long found = counted(place);
            if (found < least(place) || found > most(place)) {
                findings.add(new Finding(place, least(place), most(place), found));
            }
        }
        if (after.difference() != 0) {
            // Of all that was accepted, so much is nowhere in the books.
            findings.add(new Finding(ItemState.OUTSIDE, 0, 0, after.difference()));
        }
        return findings;
    }
}
