package io.spillway.core.ledger;

import io.spillway.core.item.ItemState;
import java.util.ArrayList;
import java.util.List;

/**
 * Audit of one tenant: its balance before and after the count of its items, and the count.
 *
 * <p>While items move, the count of a state is at least what had entered before and had not left by the end, and at
 * most what had entered by the end and had not left before. When nothing moves, both bounds are equal.
 *
 * @param tenant  or the label for unknown tenants
 * @param counted items found, by state
 */
public record AuditedTenant(String tenant, TenantBalance before, TenantBalance after, long[] counted) {
    /** States whose items can be counted; done and dropped items leave no record. */
    public static final List<ItemState> COUNTED = ItemState.LEFT.stream().skip(1).toList();

    /**
     * A state of which fewer than {@code least} or more than {@code most} items were found, the limits by the balance.
     */
    public record Finding(ItemState place, long least, long most, long counted) {}

    /** Returns the fewest items of a state by the balance. */
    public long least(ItemState state) {
        return before.entered(state) - after.left(state);
    }

    /** Returns the most items of a state by the balance. */
    public long most(ItemState state) {
        return after.entered(state) - before.left(state);
    }

    /** Returns the items found in a state. */
    public long counted(ItemState state) {
        return counted[state.ordinal()];
    }

    /** Returns whether any of its items moved during the count. */
    public boolean isMoving() {
        return !before.equals(after);
    }

    /** Returns the differences; empty when the balance adds up and matches the count. */
    public List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        for (ItemState state : COUNTED) {
            long found = counted(state);
            if (found < least(state) || found > most(state)) {
                findings.add(new Finding(state, least(state), most(state), found));
            }
        }
        if (after.difference() != 0) {
            // Accepted items that are in no state.
            findings.add(new Finding(ItemState.OUTSIDE, 0, 0, after.difference()));
        }
        return findings;
    }
}
