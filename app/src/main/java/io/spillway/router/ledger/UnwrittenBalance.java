package io.spillway.router.ledger;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.TenantBalance;
import org.apache.kafka.common.utils.Bytes;

/** Changes of a tenant's balance since it was written. Owner: a {@link FoldProcessor}. */
final class UnwrittenBalance {
    final Bytes tenant;
    final Depth written;
    /** First ledger entry that the written balance lacks. */
    final long firstOffset;
    /** Time of the first change. */
    final long sinceMillis;
    boolean isUrgent;
    private final long[] entered = new long[ItemState.COUNT];
    private final long[] left = new long[ItemState.COUNT];

    UnwrittenBalance(Bytes tenant, Depth written, long firstOffset, long sinceMillis) {
        this.tenant = tenant;
        this.written = written;
        this.firstOffset = firstOffset;
        this.sinceMillis = sinceMillis;
    }

    /** Adds a line of the ledger: counts by the ordinal of the state that the items entered. */
    void count(ItemState from, long[] more) {
        for (int state = 0; state < ItemState.COUNT; state++) {
            entered[state] += more[state];
            left[from.ordinal()] += more[state];
        }
    }

    /** Returns the change in waiting items since the balance was written. */
    long waitingChange() {
        long change = 0;
        for (ItemState state : ItemState.WAITING) {
            change += entered[state.ordinal()] - left[state.ordinal()];
        }
        return change;
    }

    /** Returns the balance with all changes. */
    TenantBalance balance() {
        return written.balance().plus(entered, left);
    }
}
