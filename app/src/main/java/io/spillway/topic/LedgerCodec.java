package io.spillway.topic;

import io.spillway.policy.ItemLimits;
import io.spillway.policy.Place;
import io.spillway.policy.TenantSums;
import io.spillway.schema.LedgerEntry;
import java.util.Optional;

/**
 * Reads entries of the ledger. By hand, since whoever folds the ledger reads a hundred thousand lines a second, and so only
 * of the one version that there is: a second one is read here too before it is written, which a test insists on.
 */
public final class LedgerCodec {
    private static final long FINGERPRINT = ItemSchemas.fingerprint(LedgerEntry.getClassSchema());
    private static final long MAX_COUNT = 1L << 40;

    private LedgerCodec() {}

    /**
     * Shows every line of an entry to a visitor, when all of it can be read.
     *
     * @param bytes not null
     * @return when it was written, epoch milliseconds
     * @throws IllegalArgumentException when it is no entry; then no line was shown
     */
    public static long read(byte[] bytes, TenantSums.Visitor visitor) {
        try {
            if (!SingleObject.hasPrefix(bytes) || SingleObject.fingerprint(bytes) != FINGERPRINT) {
                throw UnreadableItem.malformed("no entry of a known version");
            }
            walk(bytes, Optional.empty());
            return walk(bytes, Optional.of(visitor));
        } catch (UnreadableItem e) {
            throw new IllegalArgumentException("not an entry of the ledger: " + e.getMessage(), e);
        }
    }

    /** Without a visitor it is only looked whether all can be read, and nothing is made of it. */
    private static long walk(byte[] bytes, Optional<TenantSums.Visitor> visitor) {
        AvroCursor cursor = new AvroCursor(bytes, SingleObject.PREFIX_BYTES);
        long atMillis = cursor.readLong();
        long[] counts = new long[Place.COUNT];
        for (long lines = cursor.readLong(); lines != 0; lines = cursor.readLong()) {
            if (lines < 0 || lines > cursor.remaining()) {
                throw UnreadableItem.malformed(lines + " lines where " + cursor.remaining() + " bytes are left");
            }
            for (long i = 0; i < lines; i++) {
                int tenantAt = cursor.position();
                skipTenant(bytes, cursor);
                int from = cursor.readInt();
                if (from < 0 || from >= Place.LEFT.size()) {
                    throw UnreadableItem.malformed("place " + from);
                }
                for (Place to : LedgerLines.COLUMNS) {
                    counts[to.ordinal()] = count(cursor.readLong());
                }
                if (visitor.isPresent()) {
                    visitor.get().visit(tenantAt(bytes, tenantAt), Place.LEFT.get(from), counts, 0);
                }
            }
        }
        if (cursor.remaining() != 0) {
            throw UnreadableItem.malformed(cursor.remaining() + " bytes are left over");
        }
        return atMillis;
    }

    private static void skipTenant(byte[] bytes, AvroCursor cursor) {
        int length = cursor.readLength();
        if (!ItemLimits.isName(bytes, cursor.position(), length)
                && !cursor.ascii(cursor.position(), length).equals(BookOwner.NOBODY)) {
            throw UnreadableItem.malformed("a line of no tenant");
        }
        cursor.skip(length);
    }

    private static String tenantAt(byte[] bytes, int position) {
        AvroCursor cursor = new AvroCursor(bytes, position);
        int length = cursor.readLength();
        return cursor.ascii(cursor.position(), length);
    }

    private static long count(long count) {
        if (count < 0 || count > MAX_COUNT) {
            throw UnreadableItem.malformed("a count of " + count);
        }
        return count;
    }
}
