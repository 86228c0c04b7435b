package io.spillway.kafka.view;

import io.spillway.core.item.DropReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.policy.Subscription;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.KeyHash;
import io.spillway.kafka.codec.TrailCodec;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.kafka.common.header.Headers;

/**
 * Where the items of tracked tenants are now, or how they finished, by tenant and id: what the trail says of them.
 *
 * <p>Thread-safe. Bound: a number of items, about 250 bytes each; beyond it the one that has not changed for longest is
 * forgotten.
 */
public final class TrackedItems {
    private final int most;
    private final Predicate<String> isTracked;
    /** Least recently changed first. Guarded by this object. */
    private final Map<KeyHash, Fate> fates = new LinkedHashMap<>();
    private volatile boolean isComplete;

    /**
     * What is known of an item.
     *
     * @param state    any but outside
     * @param reason   of its lane, drop or dead letter; empty if done
     * @param attempts that have ended
     * @param atMillis since when, epoch milliseconds
     */
    public record Fate(ItemState state, String reason, long attempts, long atMillis) {}

    /**
     * Creates it empty.
     *
     * @param most      number of items
     * @param isTracked whether to keep the items of a tenant
     */
    public TrackedItems(int most, Predicate<String> isTracked) {
        this.most = most;
        this.isTracked = isTracked;
    }

    /**
     * Takes a record of the trail.
     *
     * @param value    of the record; may be null
     * @param atMillis time of the record, epoch milliseconds
     */
    public void put(Headers headers, byte[] value, long atMillis) {
        Optional<TrailCodec.End> end = TrailCodec.End.of(value);
        Optional<String> tenant = ItemHeaders.text(headers, ItemHeaders.TENANT).filter(isTracked);
        Optional<String> id = ItemHeaders.text(headers, ItemHeaders.ID);
        Optional<String> delivery =
                ItemHeaders.text(headers, ItemHeaders.WORKLOAD).filter(Subscription::isDelivery);
        if (end.isEmpty() || tenant.isEmpty() || id.isEmpty() || delivery.isPresent() || isDuplicate(end.get())) {
            return;
        }
        Fate fate = new Fate(end.get().state(), end.get().reason(),
                ItemHeaders.number(headers, ItemHeaders.ATTEMPT).orElse(0), atMillis);
        put(KeyHash.ofId(tenant.get(), "", id.get()), fate, headers.lastHeader(ItemHeaders.DEDUPE) != null);
    }

    private synchronized void put(KeyHash id, Fate fate, boolean mayBeDuplicate) {
        if (mayBeDuplicate && fates.containsKey(id)) {
            return;
        }
        fates.remove(id);
        fates.put(id, fate);
        if (fates.size() > most) {
            fates.remove(fates.keySet().iterator().next());
        }
    }

    /** Of two items with an id that counts once, the first says what becomes of it. */
    private static boolean isDuplicate(TrailCodec.End end) {
        return end.state() == ItemState.DROPPED && end.reason().equals(DropReason.DUPLICATE.label());
    }

    /** Returns what is known of the newest item of a tenant with an id. */
    public synchronized Optional<Fate> of(String tenant, String id) {
        return Optional.ofNullable(fates.get(KeyHash.ofId(tenant, "", id)));
    }

    /** Returns whether the trail was read to its end. */
    public boolean isComplete() {
        return isComplete;
    }

    void complete() {
        isComplete = true;
    }
}
