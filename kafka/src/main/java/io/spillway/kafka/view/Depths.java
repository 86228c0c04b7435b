package io.spillway.kafka.view;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.kafka.topics.Topics;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BiConsumer;

/**
 * Balances of all tenants, as published by the router: within about a second of a move, or later for small changes when
 * more than a thousand tenants change per second. Owner: the view's thread. Readers see a complete balance of each
 * tenant; sums over tenants may differ from them for a moment.
 */
public final class Depths implements ViewContent {
    private final DepthCodec codec = new DepthCodec();
    private final Map<String, Depth> byTenant = new ConcurrentHashMap<>();
    private final AtomicLongArray entered = new AtomicLongArray(ItemState.COUNT);
    private final AtomicLongArray left = new AtomicLongArray(ItemState.COUNT);
    private final AtomicLongArray folded = new AtomicLongArray(Topics.LEDGER_PARTITIONS);
    private volatile long changedAtMillis;

    /** Returns the balance of a tenant; empty if it never had an item, or exceeds the limit of the view. */
    public Optional<Depth> of(String tenant) {
        return Optional.ofNullable(byTenant.get(tenant));
    }

    /** Returns the items of a tenant in all lanes, 0 or more; empty if {@link #of} is empty. */
    public OptionalLong waiting(String tenant) {
        Depth depth = byTenant.get(tenant);
        return depth == null ? OptionalLong.empty() : OptionalLong.of(Math.max(0, depth.balance().waiting()));
    }

    /**
     * Returns when the newest entry was written, epoch milliseconds; 0 if there is none. Every move causes an entry.
     */
    public long changedAtMillis() {
        return changedAtMillis;
    }

    /** Passes the balance of each tenant to the visitor. */
    public void forEach(BiConsumer<String, Depth> visitor) {
        byTenant.forEach(visitor);
    }

    /** Returns the items of all tenants in a state. */
    public long in(ItemState state) {
        return entered(state) - left(state);
    }

    /** Returns the items of all tenants that ever entered a state. */
    public long entered(ItemState state) {
        return entered.get(state.ordinal());
    }

    /** Returns the items of all tenants that ever left a state. */
    public long left(ItemState state) {
        return left.get(state.ordinal());
    }

    /** Returns the offset of a ledger partition below which all entries are included in the balances; 0 if unknown. */
    public long foldedTo(int partition) {
        return folded.get(partition);
    }

    @Override
    public void put(String key, byte[] value) {
        Depth depth = codec.decode(value);
        changedAtMillis = Math.max(changedAtMillis, depth.rates().atMillis());
        if (key.startsWith(DepthCodec.FOLDED)) {
            int partition = Integer.parseInt(key.substring(DepthCodec.FOLDED.length()));
            if (partition < 0 || partition >= Topics.LEDGER_PARTITIONS) {
                throw new IllegalArgumentException("the ledger has no partition " + partition);
            }
            folded.set(partition, depth.upTo());
            return;
        }
        Depth before = byTenant.put(key, depth);
        addToSums(before == null ? TenantBalance.EMPTY : before.balance(), depth.balance());
    }

    @Override
    public void remove(String key) {
        Depth before = byTenant.remove(key);
        if (before != null) {
            addToSums(before.balance(), TenantBalance.EMPTY);
        }
    }

    @Override
    public boolean contains(String key) {
        return key.startsWith(DepthCodec.FOLDED) || byTenant.containsKey(key);
    }

    @Override
    public int size() {
        return byTenant.size();
    }

    private void addToSums(TenantBalance before, TenantBalance now) {
        for (ItemState state : ItemState.values()) {
            entered.addAndGet(state.ordinal(), now.entered(state) - before.entered(state));
            left.addAndGet(state.ordinal(), now.left(state) - before.left(state));
        }
    }
}
