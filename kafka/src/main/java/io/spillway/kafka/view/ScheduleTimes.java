package io.spillway.kafka.view;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Progress of a schedule, in the store of the schedule stage. All times are epoch milliseconds.
 *
 * @param untilMillis time until which it is settled, which never decreases
 * @param firedMillis latest time for which it had an item; 0 for none
 * @param nextMillis  next time; {@link Long#MAX_VALUE} for none
 */
public record ScheduleTimes(long untilMillis, long firedMillis, long nextMillis) {
    /** First character of the keys of progress, which no name has. The store has the schedules too, by their keys. */
    public static final String MARK = "!";

    /** Returns the key of the progress of a schedule. */
    public static String key(String scheduleKey) {
        return MARK + scheduleKey;
    }

    /** Returns the encoded progress: three numbers of 64 bits, the most significant byte first. */
    public byte[] encode() {
        return ByteBuffer.allocate(3 * Long.BYTES).putLong(untilMillis).putLong(firedMillis).putLong(nextMillis)
                .array();
    }

    /** @throws IllegalArgumentException if the bytes are not encoded progress */
    public static ScheduleTimes decode(byte[] bytes) {
        if (bytes.length != 3 * Long.BYTES) {
            throw new IllegalArgumentException(bytes.length + " bytes; progress of a schedule has 24");
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new ScheduleTimes(buffer.getLong(), buffer.getLong(), buffer.getLong());
    }

    /** Progress by schedule, as the changelog of the store has it. */
    public static final class All extends ViewContent<ScheduleTimes> {
        @Override
        public void put(String key, byte[] value) {
            if (key.startsWith(MARK)) {
                entries.put(key, decode(value));
            }
        }

        @Override
        int maxKeyBytes() {
            return StoredSchedule.MAX_KEY_BYTES;
        }

        /** Returns the progress of a schedule; empty if no router has read it yet. */
        public Optional<ScheduleTimes> of(String scheduleKey) {
            return Optional.ofNullable(entries.get(key(scheduleKey)));
        }
    }
}
