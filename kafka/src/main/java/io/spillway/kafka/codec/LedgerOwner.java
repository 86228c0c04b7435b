package io.spillway.kafka.codec;

import org.apache.kafka.common.header.Headers;

/**
 * In whose books a record is: the tenant that can be found in it, without the limits that made it a dead letter perhaps. It
 * follows from the bytes that no stage changes, so all who book or count a record agree.
 *
 * <p>Immutable; for any number of threads.
 */
public final class LedgerOwner {
    /** In the books of what is nobody's: no tenant's name has such a character. */
    public static final String NOBODY = "(none)";

    private final ItemReader reader = new ItemReader(ItemSchemas.load(), Integer.MAX_VALUE, Integer.MAX_VALUE);

    /**
     * The tenant, or {@link #NOBODY}.
     *
     * @param key     may be null
     * @param value   may be null
     * @param headers not null
     */
    public String of(byte[] key, byte[] value, Headers headers) {
        return reader.read(key, value, headers, 0) instanceof ParsedRecord.Item item ? item.tenant() : NOBODY;
    }
}
