package io.spillway.kafka.codec;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.schema.LedgerEntry;

/**
 * Decoder of ledger entries. Hand-written, because a consumer of the ledger decodes about 100,000 lines a second. It
 * supports the only version of the schema; a test ensures that a second one is supported here before it is written.
 */
public final class LedgerCodec {
    private static final long FINGERPRINT = ItemSchemas.fingerprint(LedgerEntry.getClassSchema());
    private static final long MAX_COUNT = 1L << 40;
    /** Eight numbers a line, see {@link #hasSmallNumbers}: the state that items left, a count for each target state. */
    private static final int NUMBERS = 1 + LedgerLines.COLUMNS.length;

    private LedgerCodec() {}

    /**
     * Validates an entry completely, and then passes each line to the visitor.
     *
     * @param bytes not null
     * @return when the entry was written, epoch milliseconds
     * @throws IllegalArgumentException if the bytes are not an entry; no line was passed then
     */
    public static long read(byte[] bytes, LedgerDeltas.Visitor visitor) {
        try {
            check(bytes);
        } catch (UnreadableItem e) {
            throw new IllegalArgumentException("not a ledger entry: " + e.getMessage(), e);
        }
        return visit(bytes, visitor);
    }

    private static void check(byte[] bytes) {
        if (!SingleObject.hasPrefix(bytes) || SingleObject.fingerprint(bytes) != FINGERPRINT) {
            throw UnreadableItem.malformed("unknown encoding or schema version");
        }
        AvroCursor cursor = new AvroCursor(bytes, SingleObject.PREFIX_BYTES);
        cursor.readLong();
        for (long lines = cursor.readLong(); lines != 0; lines = cursor.readLong()) {
            if (lines < 0 || lines > cursor.remaining()) {
                throw UnreadableItem.malformed(
                        "invalid block of " + lines + " lines: " + cursor.remaining() + " bytes are left");
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
        cursor.requireEnd();
    }

    private static void checkTenant(byte[] bytes, AvroCursor cursor) {
        int length = cursor.readLength();
        if (!ItemLimits.isName(bytes, cursor.position(), length)) {
            String name = cursor.ascii(cursor.position(), length);
            if (!name.equals(LedgerOwner.NONE) && !LedgerOwner.isAlsoCounted(name)) {
                throw UnreadableItem.malformed("invalid tenant name");
            }
        }
        cursor.skip(length);
    }

    /**
     * Returns whether all numbers of a line are valid and have one byte, as in most lines: no continuation bit (the
     * highest), and no sign bit (the lowest).
     */
    private static boolean hasSmallNumbers(byte[] bytes, int start) {
        return bytes.length - start >= NUMBERS
                && ((long) SingleObject.EIGHT_BYTES.get(bytes, start) & 0x8181_8181_8181_8181L) == 0
                && bytes[start] >>> 1 < ItemState.LEFT.size();
    }

    private static void checkNumbers(AvroCursor cursor) {
        int from = cursor.readInt();
        if (from < 0 || from >= ItemState.LEFT.size()) {
            throw UnreadableItem.malformed("unknown state " + from);
        }
        for (int i = 1; i < NUMBERS; i++) {
            long count = cursor.readLong();
            if (count < 0 || count > MAX_COUNT) {
                throw UnreadableItem.malformed("invalid count " + count);
            }
        }
    }

    /** Requires bytes that were checked. */
    private static long visit(byte[] bytes, LedgerDeltas.Visitor visitor) {
        AvroCursor cursor = new AvroCursor(bytes, SingleObject.PREFIX_BYTES);
        long atMillis = cursor.readLong();
        long[] counts = new long[ItemState.COUNT];
        for (long lines = cursor.readLong(); lines != 0; lines = cursor.readLong()) {
            for (long i = 0; i < lines; i++) {
                int length = cursor.readLength();
                String tenant = cursor.ascii(cursor.position(), length);
                cursor.skip(length);
                ItemState from = ItemState.LEFT.get(cursor.readInt());
                for (ItemState to : LedgerLines.COLUMNS) {
                    counts[to.ordinal()] = cursor.readLong();
                }
                visitor.visit(tenant, from, counts);
            }
        }
        return atMillis;
    }
}
