package io.spillway.kafka.codec;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.schema.LedgerEntry;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reads entries of the ledger. By hand, since whoever folds the ledger reads a hundred thousand lines a second, and so only
 * of the one version that there is: a second one is read here too before it is written, which a test insists on.
 */
public final class LedgerCodec {
    private static final long FINGERPRINT = ItemSchemas.fingerprint(LedgerEntry.getClassSchema());
    private static final long MAX_COUNT = 1L << 40;
    /** Of a line: the place, and as many counts as there are other places. As many as a long has bytes. */
    private static final int NUMBERS = 1 + LedgerLines.COLUMNS.length;
    private static final VarHandle EIGHT_BYTES = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private LedgerCodec() {}

    /**
     * Shows every line of an entry to a visitor, when all of it can be read.
     *
     * @param bytes not null
     * @return when it was written, epoch milliseconds
     * @throws IllegalArgumentException when it is no entry; then no line was shown
     */
    public static long read(byte[] bytes, LedgerDeltas.Visitor visitor) {
        return read(bytes, LedgerDeltas.LineVisitor.of(visitor));
    }

    /** As {@link #read(byte[], LedgerDeltas.Visitor)}, without making anything of the names. */
    public static long read(byte[] bytes, LedgerDeltas.LineVisitor visitor) {
        try {
            check(bytes);
        } catch (UnreadableItem e) {
            throw new IllegalArgumentException("not an entry of the ledger: " + e.getMessage(), e);
        }
        return show(bytes, visitor);
    }

    private static void check(byte[] bytes) {
        if (!SingleObject.hasPrefix(bytes) || SingleObject.fingerprint(bytes) != FINGERPRINT) {
            throw UnreadableItem.malformed("no entry of a known version");
        }
        AvroCursor cursor = new AvroCursor(bytes, SingleObject.PREFIX_BYTES);
        cursor.readLong();
        for (long lines = cursor.readLong(); lines != 0; lines = cursor.readLong()) {
            if (lines < 0 || lines > cursor.remaining()) {
                throw UnreadableItem.malformed(lines + " lines where " + cursor.remaining() + " bytes are left");
            }
            for (long i = 0; i < lines; i++) {
                checkTenant(bytes, cursor);
                if (hasSmallNumbers(bytes, cursor.position())) {
                    cursor.skip(NUMBERS);
                } else {
                    checkNumbers(cursor);
                }
            }
        }
        if (cursor.remaining() != 0) {
            throw UnreadableItem.malformed(cursor.remaining() + " bytes are left over");
        }
    }

    private static void checkTenant(byte[] bytes, AvroCursor cursor) {
        int length = cursor.readLength();
        if (!ItemLimits.isName(bytes, cursor.position(), length)
                && !cursor.ascii(cursor.position(), length).equals(LedgerOwner.NOBODY)) {
            throw UnreadableItem.malformed("a line of no tenant");
        }
        cursor.skip(length);
    }

    /**
     * Whether the place and the counts are one byte each, as in most lines, and all right: none with the highest bit, by which
     * another byte would follow, or the lowest, by which it would be less than 0.
     */
    private static boolean hasSmallNumbers(byte[] bytes, int at) {
        return bytes.length - at >= NUMBERS
                && ((long) EIGHT_BYTES.get(bytes, at) & 0x8181_8181_8181_8181L) == 0
                && bytes[at] >>> 1 < ItemState.LEFT.size();
    }

    private static void checkNumbers(AvroCursor cursor) {
        int from = cursor.readInt();
        if (from < 0 || from >= ItemState.LEFT.size()) {
            throw UnreadableItem.malformed("place " + from);
        }
        for (int i = 1; i < NUMBERS; i++) {
            long count = cursor.readLong();
            if (count < 0 || count > MAX_COUNT) {
                throw UnreadableItem.malformed("a count of " + count);
            }
        }
    }

    /** Of bytes that are checked. */
    private static long show(byte[] bytes, LedgerDeltas.LineVisitor visitor) {
        AvroCursor cursor = new AvroCursor(bytes, SingleObject.PREFIX_BYTES);
        long atMillis = cursor.readLong();
        long[] counts = new long[ItemState.COUNT];
        for (long lines = cursor.readLong(); lines != 0; lines = cursor.readLong()) {
            for (long i = 0; i < lines; i++) {
                int length = cursor.readLength();
                int nameAt = cursor.position();
                cursor.skip(length);
                ItemState from = ItemState.LEFT.get(cursor.readInt());
                for (ItemState to : LedgerLines.COLUMNS) {
                    counts[to.ordinal()] = cursor.readLong();
                }
                visitor.visit(bytes, nameAt, length, from, counts, 0);
            }
        }
        return atMillis;
    }
}
