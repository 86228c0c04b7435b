package io.spillway.router.delay;

import io.spillway.core.item.TenantHash;
import io.spillway.core.retry.RetryKey;
import java.nio.ByteBuffer;
import org.apache.kafka.common.utils.Bytes;

/**
 * Key of a parked item in the timer store: {@code 0x80}, the group, the item's end and its offset in the delay lane,
 * eight bytes each, big endian. So the items of a group are together, in the order of their ends. Timers, whose keys
 * begin with a time of 0 or more, come before all of them.
 */
final class ParkedKey {
    /** Lower than all keys of parked items, and higher than those of timers. */
    static final Bytes FIRST = Bytes.wrap(new byte[] {(byte) 0x80});
    /** Higher than all keys of parked items. */
    static final Bytes LAST = Bytes.wrap(new byte[] {(byte) 0x81});

    private static final int BYTES = 1 + 3 * Long.BYTES;

    private ParkedKey() {}

    /** Returns the number of a group: a hash, the same in every process and version. */
    static long group(RetryKey key) {
        return TenantHash.of(key.tenant(), key.destination(), 0);
    }

    static Bytes of(long group, long endMillis, long offset) {
        return Bytes.wrap(ByteBuffer.allocate(BYTES)
                .put(FIRST.get()[0]).putLong(group).putLong(endMillis).putLong(offset).array());
    }

    /** Returns the highest key of a group; no item has it. */
    static Bytes lastOf(long group) {
        return of(group, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    static boolean is(byte[] key) {
        return key.length == BYTES && key[0] == FIRST.get()[0];
    }

    static long group(Bytes key) {
        return field(key, 0);
    }

    static long endMillis(Bytes key) {
        return field(key, 1);
    }

    static long offset(Bytes key) {
        return field(key, 2);
    }

    private static long field(Bytes key, int index) {
        return ByteBuffer.wrap(key.get()).getLong(1 + index * Long.BYTES);
    }
}
