package io.spillway.router.delay;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.processor.api.Record;

/**
 * A timer of the delay stage as its changelog has it, for whoever looks from outside.
 *
 * @param offset    where it lay in the delay lane, in the partition with the number of the changelog's
 * @param dueMillis epoch milliseconds
 * @param item      key, value and headers of the item; empty when the timer is damaged
 */
public record WaitingTimer(long offset, long dueMillis, Optional<Item> item) {
    /** The record that waits; key and value may be null. */
    public record Item(byte[] key, byte[] value, Headers headers, long timestampMillis) {}

    /**
     * Reads a key of the changelog.
     *
     * @return offset in the delay lane; empty when it is no key of a timer
     */
    public static Optional<Long> offsetOf(byte[] key) {
        return key.length == 2 * Long.BYTES ? Optional.of(number(key, Long.BYTES)) : Optional.empty();
    }

    /**
     * Reads a timer.
     *
     * @param key of which {@link #offsetOf} made an offset
     */
    public static WaitingTimer of(byte[] key, byte[] value) {
        try {
            Record<byte[], byte[]> record = TimerCodec.decode(value);
            return new WaitingTimer(number(key, Long.BYTES), number(key, 0),
                    Optional.of(new Item(record.key(), record.value(), record.headers(), record.timestamp())));
        } catch (DamagedTimerException e) {
            return new WaitingTimer(number(key, Long.BYTES), number(key, 0), Optional.empty());
        }
    }

    private static long number(byte[] key, int at) {
        return ByteBuffer.wrap(key).getLong(at);
    }
}
