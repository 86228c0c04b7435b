package io.spillway.router.delay;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Timers of one delay lane partition in the order of their due times.
 *
 * <p>A key is the due time (8 bytes, big endian, so that the store sorts by time) and the record's offset in the delay
 * lane (8 bytes). The offset makes the key unique when two dead letters of one origin are replayed, and fires timers of
 * the same millisecond in order of arrival.
 *
 * <p>A scan starts at a cursor, the earliest timer. A scan from the start of the store would step over every removed
 * timer that RocksDB has not compacted. While the cursor is not due, the store is not read. Parked items, which follow
 * the timers in the store, leave removed keys too. So once an item was parked, the store has a last timer that is never
 * due, at which a scan ends.
 *
 * <p>Owner: the task of the processor that created it, on one thread; any thread may read the two numbers for gauges.
 * Bound: the disk; {@link TimerStoreMemory} bounds the memory.
 */
public final class Timers {
    /** Result of {@link #nextDueMillis} when there is no timer. */
    static final long NEVER = Long.MAX_VALUE;
    /** Most timers taken at a time. */
    static final int MOST = 1_000;
    /** Most bytes taken at a time, but always one timer. 1,000 of the largest would exceed the producer's buffer. */
    public static final int MOST_BYTES = 8 * 1024 * 1024;

    private static final VarHandle BIG_ENDIAN_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /** Key of the timer that is never due. */
    static final Bytes END = key(NEVER, NEVER);

    private final KeyValueStore<Bytes, byte[]> store;
    private Bytes cursor = key(0, 0);
    /** Earliest timer added while due ones are taken. */
    private Bytes earliestAdded = END;
    private boolean isEndStored;
    private boolean isEstimate = true;
    private volatile long nextDueMillis;
    private volatile long waiting;

    /** Creates the timers of a restored store. The first {@link #takeDue} finds the earliest. */
    Timers(KeyValueStore<Bytes, byte[]> store) {
        this.store = store;
        this.waiting = store.approximateNumEntries();
    }

    /** Consumer of due timers. If it throws, or if the transaction is aborted, the timer stays in the store. */
    @FunctionalInterface
    interface DueHandler {
        void accept(long offset, byte[] timer);
    }

    /** Adds the timer of the record at an offset in the delay lane, due at epoch milliseconds, 0 or more. */
    void put(long dueMillis, long offset, byte[] timer) {
        Bytes key = key(dueMillis, offset);
        store.put(key, timer);
        waiting++;
        earliestAdded = earlier(key, earliestAdded);
        if (key.compareTo(cursor) < 0) {
            moveCursor(key);
        }
    }

    /** Removes the timer of the record at an offset, and returns it; empty if there is none. */
    Optional<byte[]> remove(long dueMillis, long offset) {
        Bytes key = key(dueMillis, offset);
        Optional<byte[]> timer = Optional.ofNullable(store.get(key));
        timer.ifPresent(removed -> {
            store.put(key, null);
            waiting = Math.max(0, waiting - 1);
        });
        return timer;
    }

    /** Stores the timer that is never due, unless it is stored. Call it before an item is parked. */
    void storeEnd() {
        if (!isEndStored && store.get(END) == null) {
            store.put(END, new byte[0]);
        }
        isEndStored = true;
    }

    /** Returns whether a timer is the one that is never due. */
    static boolean isEnd(byte[] key) {
        return Arrays.equals(key, END.get());
    }

    /**
     * Removes due timers and passes them to the handler in order of due time: at most {@link #MOST} and about {@link
     * #MOST_BYTES}. If more are due, {@link #nextDueMillis} is in the past afterwards. Returns the number taken. The
     * handler may add timers that are not due.
     */
    int takeDue(long nowMillis, DueHandler handler) {
        if (nextDueMillis > nowMillis) {
            return 0;
        }
        int taken = 0;
        long bytes = 0;
        Bytes next = END;
        earliestAdded = END;
        try (KeyValueIterator<Bytes, byte[]> timers = store.range(cursor, END)) {
            while (timers.hasNext()) {
                Bytes key = timers.peekNextKey();
                if (dueMillis(key) > nowMillis || taken == MOST || bytes >= MOST_BYTES) {
                    next = key;
                    break;
                }
                KeyValue<Bytes, byte[]> timer = timers.next();
                handler.accept(offset(key), timer.value);
                // delete() would read the old value first.
                store.put(key, null);
                taken++;
                bytes += timer.value.length;
            }
        }
        moveCursor(earlier(next, earliestAdded));
        isEstimate &= nextDueMillis != NEVER;
        waiting = nextDueMillis == NEVER ? 0 : Math.max(1, waiting - taken);
        return taken;
    }

    /** Corrects {@link #waiting}, while it depends on RocksDB's estimate, by entries that are not timers. */
    void areNoTimers(int entries) {
        if (isEstimate) {
            waiting = Math.max(1, waiting - entries);
        }
    }

    /** Returns when the earliest timer is due, or an earlier time; {@link #NEVER} for none. Epoch milliseconds. */
    long nextDueMillis() {
        return nextDueMillis;
    }

    /** Returns the approximate number of timers: RocksDB's estimate at the start plus the changes since then. */
    long waiting() {
        return waiting;
    }

    private static Bytes earlier(Bytes key, Bytes otherKey) {
        return key.compareTo(otherKey) < 0 ? key : otherKey;
    }

    private void moveCursor(Bytes key) {
        cursor = key;
        nextDueMillis = dueMillis(key);
    }

    private static Bytes key(long dueMillis, long offset) {
        byte[] key = new byte[2 * Long.BYTES];
        BIG_ENDIAN_LONG.set(key, 0, dueMillis);
        BIG_ENDIAN_LONG.set(key, Long.BYTES, offset);
        return Bytes.wrap(key);
    }

    private static long dueMillis(Bytes key) {
        return (long) BIG_ENDIAN_LONG.get(key.get(), 0);
    }

    static long offset(Bytes key) {
        return (long) BIG_ENDIAN_LONG.get(key.get(), Long.BYTES);
    }
}
