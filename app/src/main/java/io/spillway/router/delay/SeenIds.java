package io.spillway.router.delay;

import io.spillway.core.hashing.TenantHash;
import io.spillway.kafka.codec.KeyHash;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Ids of accepted items that count once, in the timer store: until when each is remembered, and an entry at that time,
 * so that a scan finds what to forget. It begins after what was taken before, because RocksDB would step over removed
 * entries.
 *
 * <p>Owner: the task of the processor that created it, on one thread. Bound: {@value #MOST} ids of a tenant, about 120
 * bytes each on disk. Further ones are not remembered until some of these are forgotten.
 */
final class SeenIds {
    /** Most ids of a tenant in one partition. */
    static final int MOST = 1_000_000;
    /** Most ids forgotten at a time. */
    static final int FORGOTTEN_AT_ONCE = 1_000;

    private final KeyValueStore<Bytes, byte[]> store;
    private final int most;
    private long takenToMillis;
    private long nextMillis;

    /** What is known of an id. */
    enum Seen { NEW, AGAIN, NEW_WITHOUT_ROOM }

    SeenIds(KeyValueStore<Bytes, byte[]> store, int most) {
        this.store = store;
        this.most = most;
    }

    /**
     * Remembers an id.
     *
     * @param windowMillis how long; 0 for not at all
     */
    Seen see(KeyHash id, String tenant, long windowMillis, long nowMillis) {
        byte[] known = store.get(OrderKeys.named(OrderKeys.ID, id));
        if (known != null && number(known) > nowMillis) {
            return Seen.AGAIN;
        }
        if (windowMillis == 0) {
            return Seen.NEW;
        }
        long owner = TenantHash.of(tenant, 0);
        if (known == null && !count(owner, 1)) {
            return Seen.NEW_WITHOUT_ROOM;
        }
        long untilMillis = nowMillis + windowMillis;
        store.put(OrderKeys.named(OrderKeys.ID, id), bytes(untilMillis));
        store.put(OrderKeys.idUntil(untilMillis, id), bytes(owner));
        nextMillis = Math.min(nextMillis, untilMillis);
        takenToMillis = Math.min(takenToMillis, untilMillis);
        return Seen.NEW;
    }

    /** Forgets ids whose time is over; at most {@value #FORGOTTEN_AT_ONCE}. */
    void forget(long nowMillis) {
        if (nextMillis > nowMillis) {
            return;
        }
        nextMillis = Timers.NEVER;
        List<KeyValue<Bytes, byte[]>> over = new ArrayList<>();
        try (KeyValueIterator<Bytes, byte[]> entries = store.range(
                OrderKeys.numbered(OrderKeys.ID_UNTIL, takenToMillis), OrderKeys.after(OrderKeys.ID_UNTIL))) {
            while (entries.hasNext()) {
                long untilMillis = OrderKeys.untilMillis(entries.peekNextKey());
                if (untilMillis > nowMillis || over.size() == FORGOTTEN_AT_ONCE) {
                    nextMillis = untilMillis;
                    break;
                }
                over.add(entries.next());
                takenToMillis = untilMillis;
            }
        }
        for (KeyValue<Bytes, byte[]> entry : over) {
            store.put(entry.key, null);
            Bytes id = OrderKeys.named(OrderKeys.ID, OrderKeys.id(entry.key));
            byte[] known = store.get(id);
            // One that came again after its time has another end.
            if (known != null && number(known) == OrderKeys.untilMillis(entry.key)) {
                store.put(id, null);
                count(number(entry.value), -1);
            }
        }
    }

    /** Returns when to forget next, or an earlier time; {@link Timers#NEVER} if there is nothing to forget. */
    long nextMillis() {
        return nextMillis;
    }

    /** Changes a tenant's number of ids; returns whether it stays within the bound. */
    private boolean count(long owner, int change) {
        Bytes key = OrderKeys.numbered(OrderKeys.IDS, owner);
        byte[] before = store.get(key);
        long count = (before == null ? 0 : number(before)) + change;
        if (count > most) {
            return false;
        }
        store.put(key, count <= 0 ? null : bytes(count));
        return true;
    }

    private static long number(byte[] bytes) {
        return ByteBuffer.wrap(bytes).getLong();
    }

    private static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }
}
