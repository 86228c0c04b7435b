package io.spillway.core.ledger;

import io.spillway.core.item.ItemState;
import io.spillway.core.text.Printable;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts of each tenant's items that left one state since the last commit, by their new state.
 *
 * <p>Owner: the one that moves the items, one thread or under one lock. Bound: the tenants between two commits; at
 * {@link #MANY} {@link #isFull} requests an early commit.
 */
public final class LedgerDeltas {
    /** Tenants at which a commit is due: about 200 bytes each. */
    public static final int MANY = 50_000;

    private static final int MAX_ASCII = 0x7f;

    private final ItemState from;
    /** Counts by the ordinal of the new state, by tenant in the order of first use. */
    private final Map<String, long[]> counts = new LinkedHashMap<>();

    /** Receives the counts of a tenant. */
    @FunctionalInterface
    public interface Visitor {
        /** Receives one tenant, and its counts by the ordinal of the new state: read-only, valid until this returns. */
        void visit(String tenant, ItemState from, long[] counts);
    }

    /**
     * Creates an empty table.
     *
     * @param from the state that all items leave, one of {@link ItemState#LEFT}
     */
    public LedgerDeltas(ItemState from) {
        if (!ItemState.LEFT.contains(from)) {
            throw new IllegalArgumentException("items do not leave " + from + ": use one of " + ItemState.LEFT);
        }
        this.from = from;
    }

    /** Returns the state that all items leave. */
    public ItemState from() {
        return from;
    }

    /**
     * Adds one item, whose new state is not {@link ItemState#OUTSIDE}.
     *
     * @throws IllegalArgumentException for a name that is not ASCII
     */
    public void add(String tenant, ItemState to) {
        counts.computeIfAbsent(tenant, LedgerDeltas::none)[to.ordinal()]++;
    }

    /** Takes back one item that was added with another new state. */
    public void remove(String tenant, ItemState to) {
        counts.computeIfAbsent(tenant, LedgerDeltas::none)[to.ordinal()]--;
    }

    /** Moves all counts of a table with the same state here, and leaves it empty. */
    public void takeAll(LedgerDeltas more) {
        if (more.from != from) {
            throw new IllegalArgumentException(
                    "cannot add counts of " + more.from + " to those of " + from + ": the state must be equal");
        }
        more.counts.forEach((tenant, theirs) -> counts.merge(tenant, theirs, LedgerDeltas::sum));
        more.clear();
    }

    /** Passes the counts of every tenant to the visitor, in the order of their first use. */
    public void forEach(Visitor visitor) {
        counts.forEach((tenant, ofTenant) -> visitor.visit(tenant, from, ofTenant));
    }

    /** Removes everything. */
    public void clear() {
        counts.clear();
    }

    public boolean isEmpty() {
        return counts.isEmpty();
    }

    /** Returns the number of tenants. */
    public int size() {
        return counts.size();
    }

    /** Returns whether there are so many tenants that the counts should be committed now. */
    public boolean isFull() {
        return size() >= MANY;
    }

    private static long[] none(String tenant) {
        for (int i = 0; i < tenant.length(); i++) {
            if (tenant.charAt(i) > MAX_ASCII) {
                throw new IllegalArgumentException("a tenant whose name is not ASCII: " + Printable.of(tenant));
            }
        }
        return new long[ItemState.COUNT];
    }

    private static long[] sum(long[] ours, long[] theirs) {
        for (int state = 0; state < ItemState.COUNT; state++) {
            ours[state] += theirs[state];
        }
        return ours;
    }
}
