package io.spillway.router.delay;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Where the timers of claimed items are, by the names of their claims: in the timer store, with {@code 0x90} and the
 * name as the key, and the due time and the offset of the timer as the value. Its keys come after those of timers and
 * parked items.
 *
 * <p>Owner: the task of the processor that created it, on one thread. Bound: the claimed items, which are in
 * {@link Timers} too.
 */
final class ClaimIndex {
    private static final byte PREFIX = (byte) 0x90;

    private final KeyValueStore<Bytes, byte[]> store;
    private final Timers timers;

    /** The timer of a claimed item: when it is due, epoch milliseconds, and its offset in the delay lane. */
    private record At(long dueMillis, long offset) {}

    ClaimIndex(KeyValueStore<Bytes, byte[]> store, Timers timers) {
        this.store = store;
        this.timers = timers;
    }

    /** Adds the timer of a claimed item. */
    void put(String claim, long dueMillis, long offset, byte[] timer) {
        timers.put(dueMillis, offset, timer);
        store.put(key(claim), ByteBuffer.allocate(2 * Long.BYTES).putLong(dueMillis).putLong(offset).array());
    }

    /** Returns whether the item of a claim waits for this time. */
    boolean isDueAt(String claim, long dueMillis) {
        return find(claim).filter(at -> at.dueMillis == dueMillis).isPresent();
    }

    /** Lets the item of a claim wait until another time; returns whether there is one. */
    boolean move(String claim, long dueMillis) {
        Optional<At> at = find(claim);
        at.ifPresent(old -> timers.remove(old.dueMillis, old.offset)
                .ifPresent(timer -> put(claim, dueMillis, old.offset, timer)));
        return at.isPresent();
    }

    /** Removes the item of a claim, and returns it; empty if there is none. */
    Optional<DelayRecord> take(String claim) {
        Optional<At> at = find(claim);
        at.ifPresent(found -> store.put(key(claim), null));
        return at.flatMap(found -> timers.remove(found.dueMillis, found.offset)
                .map(timer -> DelayRecord.decode(timer, found.offset, Optional.empty())));
    }

    private Optional<At> find(String claim) {
        return Optional.ofNullable(store.get(key(claim))).map(ByteBuffer::wrap)
                .map(value -> new At(value.getLong(), value.getLong()));
    }

    private static Bytes key(String claim) {
        byte[] name = claim.getBytes(StandardCharsets.UTF_8);
        return Bytes.wrap(ByteBuffer.allocate(1 + name.length).put(PREFIX).put(name).array());
    }
}
