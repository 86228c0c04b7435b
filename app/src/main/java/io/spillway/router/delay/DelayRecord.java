package io.spillway.router.delay;

import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.router.route.Sequenced;
import java.util.Optional;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Item of the delay stage.
 *
 * @param record    its record; of a damaged one, the stored bytes as its value
 * @param offset    in the delay lane
 * @param damage    why it cannot be decoded; empty for one in order
 * @param parkedKey its key among the {@link ParkedItems}; empty for one that is not parked
 */
record DelayRecord(
        Record<byte[], byte[]> record, long offset, Optional<DamagedTimerException> damage, Optional<Bytes> parkedKey) {
    static DelayRecord of(Record<byte[], byte[]> record, long offset) {
        return new DelayRecord(record, offset, Optional.empty(), Optional.empty());
    }

    /** Returns the name of the claim that a running attempt has of the item; empty without one. */
    Optional<String> claim() {
        return ItemHeaders.text(record.headers(), ItemHeaders.CLAIM);
    }

    /**
     * Returns whether it waits for its turn, and for nothing else: a pause does not change the order. Only a replay is
     * due later. The time of another one is that of the clock of the router that took it, which may be fast.
     */
    boolean waitsForTurn(long dueMillis, long nowMillis) {
        return Sequenced.isInTurn(record.headers())
                && (dueMillis <= nowMillis || record.headers().lastHeader(ItemHeaders.REPLAYED_AT) == null);
    }

    /**
     * Decodes a stored item.
     *
     * @throws LaterTimerException if a later release wrote it, which ends the task: the item is in order
     */
    static DelayRecord decode(byte[] stored, long offset, Optional<Bytes> parkedKey) {
        try {
            return new DelayRecord(TimerCodec.decode(stored), offset, Optional.empty(), parkedKey);
        } catch (LaterTimerException e) {
            throw e;
        } catch (DamagedTimerException e) {
            return new DelayRecord(
                    new Record<>(null, stored, 0, new RecordHeaders()), offset, Optional.of(e), parkedKey);
        }
    }
}
