package io.spillway.router.delay;

import io.spillway.kafka.codec.KeyHash;
import java.nio.ByteBuffer;
import org.apache.kafka.common.utils.Bytes;

/**
 * Keys of the order stage in the timer store, after those of timers, parked items and claims: one byte for the kind,
 * and the numbers behind it, big endian.
 */
final class OrderKeys {
    /** {@code 0xA0}, an order key by name: the item with the turn, and the last place. */
    private static final byte TURNS = (byte) 0xA0;
    /** {@code 0xA1}, an order key by name, a place, an offset in the delay lane: an item that waits for its turn. */
    private static final byte WAITING = (byte) 0xA1;
    /** {@code 0xA2}, an order key by name: until when a dead letter holds it, and the dead letter's tenant. */
    static final byte HELD = (byte) 0xA2;
    /** {@code 0xA3}, an id by name: until when it is remembered. */
    static final byte ID = (byte) 0xA3;
    /** {@code 0xA4}, a time, an id by name: when it is forgotten. */
    static final byte ID_UNTIL = (byte) 0xA4;
    /** {@code 0xA5}, a hash of a tenant: how many ids of it are remembered. */
    static final byte IDS = (byte) 0xA5;

    private static final int WAITING_BYTES = 1 + KeyHash.BYTES + 2 * Long.BYTES;

    private OrderKeys() {}

    static Bytes turns(KeyHash key) {
        return named(TURNS, key);
    }

    /**
     * Returns the key of an item that waits.
     *
     * @param place  by which the items of a key have their turns, at least the offset
     * @param offset in the delay lane
     */
    static Bytes waiting(KeyHash key, long place, long offset) {
        ByteBuffer bytes = ByteBuffer.allocate(WAITING_BYTES).put(WAITING);
        key.putTo(bytes);
        return Bytes.wrap(bytes.putLong(place).putLong(offset).array());
    }

    static boolean isWaiting(byte[] key) {
        return key.length == WAITING_BYTES && key[0] == WAITING;
    }

    /** Returns the offset in the delay lane of an item that waits. */
    static long offset(byte[] waiting) {
        return ByteBuffer.wrap(waiting).getLong(1 + KeyHash.BYTES + Long.BYTES);
    }

    static long place(byte[] waiting) {
        return ByteBuffer.wrap(waiting).getLong(1 + KeyHash.BYTES);
    }

    static Bytes named(byte kind, KeyHash name) {
        ByteBuffer bytes = ByteBuffer.allocate(1 + KeyHash.BYTES).put(kind);
        name.putTo(bytes);
        return Bytes.wrap(bytes.array());
    }

    static Bytes numbered(byte kind, long number) {
        return Bytes.wrap(ByteBuffer.allocate(1 + Long.BYTES).put(kind).putLong(number).array());
    }

    /** Returns the name in a key of {@link #named}. */
    static KeyHash name(Bytes named) {
        return KeyHash.getFrom(ByteBuffer.wrap(named.get()).position(1));
    }

    static Bytes idUntil(long untilMillis, KeyHash id) {
        ByteBuffer bytes = ByteBuffer.allocate(1 + Long.BYTES + KeyHash.BYTES).put(ID_UNTIL).putLong(untilMillis);
        id.putTo(bytes);
        return Bytes.wrap(bytes.array());
    }

    static long untilMillis(Bytes idUntil) {
        return ByteBuffer.wrap(idUntil.get()).getLong(1);
    }

    /** Returns the id in a key of {@link #idUntil}. */
    static KeyHash id(Bytes idUntil) {
        return KeyHash.getFrom(ByteBuffer.wrap(idUntil.get()).position(1 + Long.BYTES));
    }

    /** Returns a key that is above all of a kind. */
    static Bytes after(byte kind) {
        return Bytes.wrap(new byte[] {(byte) (kind + 1)});
    }

    /** Returns a key that is below all others of a kind. */
    static Bytes first(byte kind) {
        return Bytes.wrap(new byte[] {kind});
    }
}
