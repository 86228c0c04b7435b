package io.spillway.router.delay;

import java.util.Optional;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.Record;

/**
 * An item of the delay stage, read from the changelog of the timer store.
 *
 * @param offset   the item's offset in the delay lane, in the partition with the changelog partition's number
 * @param isParked whether its delay is over, and it waits for the retry budget or its turn, or is paused
 * @param item     key, value and headers of the item; empty when they are damaged
 */
public record WaitingTimer(long offset, boolean isParked, Optional<Item> item) {
    /** A delayed item's record; key and value may be null. */
    public record Item(byte[] key, byte[] value, Headers headers, long timestampMillis) {}

    /** Returns the offset in the delay lane from a changelog key; empty when it is not the key of an item. */
    public static Optional<Long> offsetOf(byte[] key) {
        if (ParkedKey.is(key)) {
            return Optional.of(ParkedKey.offset(Bytes.wrap(key)));
        }
        if (OrderKeys.isWaiting(key)) {
            return Optional.of(OrderKeys.offset(key));
        }
        return key.length == 2 * Long.BYTES && key[0] >= 0 && !Timers.isEnd(key)
                ? Optional.of(Timers.offset(Bytes.wrap(key)))
                : Optional.empty();
    }

    /** Decodes an item; its key is one from which {@link #offsetOf} returns an offset. */
    public static WaitingTimer of(byte[] key, byte[] value) {
        boolean isParked = ParkedKey.is(key) || OrderKeys.isWaiting(key);
        return new WaitingTimer(offsetOf(key).orElseThrow(), isParked, item(value));
    }

    private static Optional<Item> item(byte[] value) {
        try {
            Record<byte[], byte[]> record = TimerCodec.decode(value);
            return Optional.of(new Item(record.key(), record.value(), record.headers(), record.timestamp()));
        } catch (DamagedTimerException e) {
            return Optional.empty();
        }
    }
}
