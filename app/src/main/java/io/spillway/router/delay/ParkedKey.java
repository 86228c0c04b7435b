package io.spillway.router.delay;

import io.spillway.core.item.TenantHash;
import io.spillway.core.retry.RetryKey;
import java.nio.ByteBuffer;
import org.apache.kafka.common.utils.Bytes;

/**
 * Key of a parked item in the timer store: {@code 0x80}, the group (eight bytes), the class of its attempts (one byte),
 * the item's end and its offset in the delay lane (eight bytes each), big endian. So the items of a group are together,
 * by class and in the order of their ends. Timers, whose keys begin with a time of 0 or more, come before all of them.
 */
final class ParkedKey {
    /** Lower than all keys of parked items, and higher than those of timers. */
    static final Bytes FIRST = Bytes.wrap(new byte[] {(byte) 0x80});
    /** Higher than all keys of parked items. */
    static final Bytes LAST = Bytes.wrap(new byte[] {(byte) 0x81});

    private static final int BYTES = 2 + 3 * Long.BYTES;
    private static final int CLASS_INDEX = 1 + Long.BYTES;

    private ParkedKey() {}

    /** Returns the number of a group: a hash, the same in every process and version. */
    static long group(RetryKey key) {
        return TenantHash.of(key.tenant(), key.destination(), 0);
    }

    static Bytes of(long group, int attemptClass, long endMillis, long offset) {
        return Bytes.wrap(ByteBuffer.allocate(BYTES)
                .put(FIRST.get()[0]).putLong(group).put((byte) attemptClass).putLong(endMillis).putLong(offset)
                .array());
    }

    /** Returns the highest key of a class of a group; no item has it. */
    static Bytes lastOf(long group, int attemptClass) {
        return of(group, attemptClass, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    static boolean is(byte[] key) {
        return key.length == BYTES && key[0] == FIRST.get()[0];
    }

    static long group(Bytes key) {
        return ByteBuffer.wrap(key.get()).getLong(1);
    }

    static int attemptClass(Bytes key) {
        return key.get()[CLASS_INDEX];
    }

    static long endMillis(Bytes key) {
        return fromEnd(key, 2);
    }

    static long offset(Bytes key) {
        return fromEnd(key, 1);
    }

    private static long fromEnd(Bytes key, int longs) {
        return ByteBuffer.wrap(key.get()).getLong(key.get().length - longs * Long.BYTES);
    }
}
