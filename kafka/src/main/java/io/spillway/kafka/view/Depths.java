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
 * Every tenant's books as the router writes them down: within about a second of the moves, or later of those that changed little
 * when more than a thousand tenants a second move. Owner: the view's thread; readers see whole books of each tenant, and sums
 * over tenants that may be a moment apart from them.
 */
public final class Depths implements ViewContent {
    private final DepthCodec codec = new DepthCodec();
    private final Map<String, Depth> byTenant = new ConcurrentHashMap<>();
    private final AtomicLongArray entered = new AtomicLongArray(ItemState.COUNT);
    private final AtomicLongArray left = new AtomicLongArray(ItemState.COUNT);
    private final AtomicLongArray folded = new AtomicLongArray(Topics.LEDGER_PARTITIONS);
    private volatile long changedAtMillis;

    /** A tenant's books; empty when it never had an item, or is beyond what this view takes. */
    public Optional<Depth> of(String tenant) {
        return Optional.ofNullable(byTenant.get(tenant));
    }

    /**
     * Items of a tenant that wait in all lanes.
     *
     * @return 0 or more; empty where {@link #of} is
     */
    public OptionalLong waiting(String tenant) {
        Depth depth = byTenant.get(tenant);
        return depth == null ? OptionalLong.empty() : OptionalLong.of(Math.max(0, depth.books().waiting()));
    }

    /** When the newest of what is here was written, epoch milliseconds; 0 while there is nothing. Items that move are written down. */
    public long changedAtMillis() {
        return changedAtMillis;
    }

    /** Shows every tenant's books. */
    public void forEach(BiConsumer<String, Depth> visitor) {
        byTenant.forEach(visitor);
    }

    /** Items of all tenants in a place. */
    public long in(ItemState place) {
        return entered(place) - left(place);
    }

    /** Items of all tenants that ever came into a place. */
    public long entered(ItemState place) {
        return entered.get(place.ordinal());
    }

    /** Items of all tenants that ever left a place. */
    public long left(ItemState place) {
        return left.get(place.ordinal());
    }

    /** All entries of a partition of the ledger below this offset are in the books of whoever they are of; 0 when not known. */
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
                throw new IllegalArgumentException("there is no partition " + partition);
            }
            folded.set(partition, depth.upTo());
            return;
        }
        Depth before = byTenant.put(key, depth);
        addToSums(before == null ? TenantBalance.EMPTY : before.books(), depth.books());
    }

    @Override
    public void remove(String key) {
        Depth before = byTenant.remove(key);
        if (before != null) {
            addToSums(before.books(), TenantBalance.EMPTY);
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
        for (ItemState place : ItemState.values()) {
            entered.addAndGet(place.ordinal(), now.entered(place) - before.entered(place));
            left.addAndGet(place.ordinal(), now.left(place) - before.left(place));
        }
    }
}
