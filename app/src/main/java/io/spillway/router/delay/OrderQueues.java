package io.spillway.router.delay;

import io.spillway.kafka.codec.KeyHash;
import io.spillway.kafka.codec.Turn;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ObjLongConsumer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Turns of all order keys of one partition of the delay lane, and the items that wait for theirs, in the timer store.
 * An item is reached by a look-up, or by a seek that ends at an item that waits for the same key: what was removed of
 * other keys is never passed. So its cost does not depend on how many wait.
 *
 * <p>Owner: the task of the processor that created it, on one thread. Bound: the disk, and in memory
 * {@value #MOST_HELD} keys that dead letters hold, about 200 bytes each.
 */
final class OrderQueues {
    /** Most keys that dead letters hold; dead letters of others do not hold theirs. */
    static final int MOST_HELD = 10_000;
    private static final byte VERSION = 2;

    private final KeyValueStore<Bytes, byte[]> store;
    private final int partition;
    private final ObjLongConsumer<String> counts;
    /** Use {@link #held()}. */
    private final Map<KeyHash, Holder> held = new HashMap<>();
    private boolean isRead;

    /**
     * Item with the turn. Others wait for the key if the last place is not its own.
     *
     * @param offset in the delay lane
     * @param place  that it had
     * @param last   place of the last one that waits, or its own
     */
    private record Head(long offset, long place, long last) {}

    /** Dead letter that holds a key. */
    private record Holder(long untilMillis, String tenant) {}

    /**
     * Creates the queues of a restored store.
     *
     * @param partition of the delay lane
     * @param counts    is told how the number of held keys of a tenant changes
     */
    OrderQueues(KeyValueStore<Bytes, byte[]> store, int partition, ObjLongConsumer<String> counts) {
        this.store = store;
        this.partition = partition;
        this.counts = counts;
    }

    /** Returns the keys that dead letters hold, which are read from the store at the first call. */
    private Map<KeyHash, Holder> held() {
        if (isRead) {
            return held;
        }
        isRead = true;
        try (KeyValueIterator<Bytes, byte[]> all = store.range(
                OrderKeys.first(OrderKeys.HELD), OrderKeys.after(OrderKeys.HELD))) {
            all.forEachRemaining(entry -> remember(OrderKeys.name(entry.key), new Holder(
                    ByteBuffer.wrap(entry.value).getLong(), new String(entry.value, Long.BYTES,
                            entry.value.length - Long.BYTES, StandardCharsets.ISO_8859_1))));
        }
        return held;
    }

    /** Gives an item the turn if nobody has it, or keeps it until then. Returns whether it has the turn. */
    boolean arrive(KeyHash key, DelayRecord item) {
        Optional<Head> head = head(key);
        if (head.isEmpty()) {
            give(key, item, item.offset(), item.offset());
        } else {
            // An item that was a timer before has an offset from then.
            long place = Math.max(item.offset(), head.get().last + 1);
            store.put(OrderKeys.waiting(key, place, item.offset()), TimerCodec.encode(item.record()));
            put(key, new Head(head.get().offset, head.get().place, place));
        }
        return head.isEmpty();
    }

    /** Returns whether an item with this turn is the one that goes on. */
    boolean has(Turn turn) {
        return turn.partition() == partition
                && head(turn.key()).filter(head -> head.offset == turn.offset()).isPresent();
    }

    /** Lets the next item of a key have the turn, and returns it; empty if none waits. */
    Optional<DelayRecord> pass(KeyHash key) {
        release(key);
        Optional<Head> head = head(key).filter(turn -> turn.place != turn.last);
        if (head.isEmpty()) {
            store.put(OrderKeys.turns(key), null);
            return Optional.empty();
        }
        // All places are above that of the one that had the turn: the seek need not pass what was removed before.
        try (KeyValueIterator<Bytes, byte[]> waiting = store.range(
                OrderKeys.waiting(key, head.get().place + 1, 0), OrderKeys.waiting(key, head.get().last + 1, 0))) {
            if (!waiting.hasNext()) {
                store.put(OrderKeys.turns(key), null);
                return Optional.empty();
            }
            KeyValue<Bytes, byte[]> first = waiting.next();
            store.put(first.key, null);
            DelayRecord item =
                    DelayRecord.decode(first.value, OrderKeys.offset(first.key.get()), Optional.empty());
            give(key, item, OrderKeys.place(first.key.get()), head.get().last);
            return Optional.of(item);
        }
    }

    /** Lets a dead letter hold its key; returns false if it cannot, because as many as can are held. */
    boolean hold(Turn turn, String tenant, long untilMillis) {
        if (held().size() >= MOST_HELD) {
            return false;
        }
        byte[] name = tenant.getBytes(StandardCharsets.ISO_8859_1);
        store.put(OrderKeys.named(OrderKeys.HELD, turn.key()),
                ByteBuffer.allocate(Long.BYTES + name.length).putLong(untilMillis).put(name).array());
        remember(turn.key(), new Holder(untilMillis, tenant));
        return true;
    }

    /** Ends the hold of a key, whose dead letter is back or discarded; nothing if it is not held. */
    void release(KeyHash key) {
        Holder holder = held().remove(key);
        if (holder != null) {
            counts.accept(holder.tenant, -1);
            store.put(OrderKeys.named(OrderKeys.HELD, key), null);
        }
    }

    /** Returns the keys whose hold is over, at most {@value Timers#MOST}. */
    List<KeyHash> noLongerHeld(long nowMillis) {
        return held().entrySet().stream().filter(entry -> entry.getValue().untilMillis <= nowMillis)
                .limit(Timers.MOST).map(Map.Entry::getKey).toList();
    }

    /** Returns whether any key is held, or it is not known. */
    boolean mayHold() {
        return !isRead || !held.isEmpty();
    }

    /** Takes back what it told the receiver of numbers. */
    void close() {
        held.values().forEach(holder -> counts.accept(holder.tenant, -1));
        held.clear();
    }

    private void remember(KeyHash key, Holder holder) {
        // A dead letter that was replayed may be one again before its turn is looked at.
        if (held.put(key, holder) == null) {
            counts.accept(holder.tenant, 1);
        }
    }

    private void give(KeyHash key, DelayRecord item, long place, long last) {
        put(key, new Head(item.offset(), place, last));
        new Turn(partition, key, item.offset()).set(item.record().headers());
    }

    private void put(KeyHash key, Head head) {
        store.put(OrderKeys.turns(key), ByteBuffer.allocate(1 + 3 * Long.BYTES).put(VERSION)
                .putLong(head.offset).putLong(head.place).putLong(head.last).array());
    }

    private Optional<Head> head(KeyHash key) {
        byte[] value = store.get(OrderKeys.turns(key));
        if (value == null) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(value);
        byte version = in.get();
        if (version > VERSION) {
            throw new LaterTimerException(version, VERSION);
        }
        long offset = in.getLong();
        return Optional.of(version == 1 ? new Head(offset, offset, lastPlace(key, offset))
                : new Head(offset, in.getLong(), in.getLong()));
    }

    /** Returns what builds before 0.1.0 did not store. */
    private long lastPlace(KeyHash key, long offset) {
        try (KeyValueIterator<Bytes, byte[]> last = store.reverseRange(
                OrderKeys.waiting(key, offset + 1, 0), OrderKeys.waiting(key, Long.MAX_VALUE, 0))) {
            return last.hasNext() ? OrderKeys.place(last.next().key.get()) : offset;
        }
    }
}
