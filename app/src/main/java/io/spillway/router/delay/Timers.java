package io.spillway.router.delay;

import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The timers of one partition of the delay lane, in the order in which they are due.
 *
 * <p>A key is the due time (8 bytes, big endian, so that the store's order is time's) and the offset of the record in
 * the delay lane (8). The offset makes it unique, whatever the origin: two dead letters of one origin that are replayed
 * lie at two offsets. Timers due in the same millisecond are taken in the order in which they came.
 *
 * <p>Scans begin at a cursor, before which no timer lies, and not at the start of the store: RocksDB steps over every
 * timer that was removed and not yet compacted away. The cursor is the earliest timer there is, so as long as that is
 * not due the store is not touched at all.
 *
 * <p>Owner: the task whose processor made it, on one thread; the two numbers for gauges may be read by any. Bound: the
 * disk; memory is bounded in {@link TimerStoreMemory}.
 */
public final class Timers {
    /** What {@link #nextDueMillis} answers when there is none. */
    static final long NEVER = Long.MAX_VALUE;
    /** Most timers taken at a time. */
    static final int MOST = 1_000;
    /** Most bytes taken at a time, but always one timer: 1,000 of the largest would be more than a producer holds. */
    public static final int MOST_BYTES = 8 * 1024 * 1024;

    private final KeyValueStore<Bytes, byte[]> store;
    private Bytes cursor = key(0, 0);
    private volatile long nextDueMillis;
    private volatile long waiting;

    /**
     * Finds the timers that the store holds at the first {@link #takeDue}.
     *
     * @param store restored
     */
    Timers(KeyValueStore<Bytes, byte[]> store) {
        this.store = store;
        this.waiting = store.approximateNumEntries();
    }

    /** Receives a timer. What it throws leaves the timer where it is, and so does an abort of the transaction. */
    @FunctionalInterface
    interface Ring {
        /**
         * Takes one.
         *
         * @param offset of the record in the delay lane
         * @param timer  as it was put
         */
        void accept(long offset, byte[] timer);
    }

    /**
     * Adds a timer.
     *
     * @param dueMillis epoch milliseconds, 0 or more
     * @param offset    of the record in the delay lane
     * @param timer     not null
     */
    void put(long dueMillis, long offset, byte[] timer) {
        Bytes key = key(dueMillis, offset);
        store.put(key, timer);
        waiting++;
        if (key.compareTo(cursor) < 0) {
            moveTo(key);
        }
    }

    /**
     * Removes the timers that are due and passes them on, in order of due time: at most {@link #MOST}, and at most about
     * {@link #MOST_BYTES}. Those beyond are due still, and {@link #nextDueMillis} says so.
     *
     * @param nowMillis epoch milliseconds
     * @return how many
     */
    int takeDue(long nowMillis, Ring ring) {
        if (nextDueMillis > nowMillis) {
            return 0;
        }
        int taken = 0;
        long bytes = 0;
        try (KeyValueIterator<Bytes, byte[]> timers = store.range(cursor, null)) {
            while (timers.hasNext()) {
                Bytes key = timers.peekNextKey();
                if (dueMillis(key) > nowMillis || taken == MOST || bytes >= MOST_BYTES) {
                    moveTo(key);
                    waiting = Math.max(1, waiting - taken);
                    return taken;
                }
                KeyValue<Bytes, byte[]> timer = timers.next();
                ring.accept(offset(key), timer.value);
                // Not delete(), which reads the old value first.
                store.put(key, null);
                taken++;
                bytes += timer.value.length;
            }
        }
        nextDueMillis = NEVER;
        cursor = key(NEVER, NEVER);
        waiting = 0;
        return taken;
    }

    /** When the earliest timer is due, or a time before it; {@link #NEVER} when there is none. Epoch milliseconds. */
    long nextDueMillis() {
        return nextDueMillis;
    }

    /** About how many timers there are: what RocksDB estimated at the start, counted on from there. */
    long waiting() {
        return waiting;
    }

    private void moveTo(Bytes key) {
        cursor = key;
        nextDueMillis = dueMillis(key);
    }

    private static Bytes key(long dueMillis, long offset) {
        byte[] key = new byte[2 * Long.BYTES];
        put(key, 0, dueMillis);
        put(key, Long.BYTES, offset);
        return Bytes.wrap(key);
    }

    private static void put(byte[] key, int at, long number) {
        for (int i = 0; i < Long.BYTES; i++) {
            key[at + i] = (byte) (number >>> Long.SIZE - Byte.SIZE * (i + 1));
        }
    }

    private static long dueMillis(Bytes key) {
        return number(key, 0);
    }

    private static long offset(Bytes key) {
        return number(key, Long.BYTES);
    }

    private static long number(Bytes key, int at) {
        long number = 0;
        for (int i = at; i < at + Long.BYTES; i++) {
            number = number << Byte.SIZE | key.get()[i] & 0xff;
        }
        return number;
    }
}
