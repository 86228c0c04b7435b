package io.spillway.kafka.codec;

import org.apache.kafka.common.header.Headers;

/**
 * Tenant whose balance includes a record, also if the record exceeds a size limit and was dead-lettered for it. It
 * depends only on bytes that no component changes, so all components agree on it.
 *
 * <p>Immutable and thread-safe.
 */
public final class LedgerOwner {
    /** Owner of records without a readable tenant. No tenant can have this name. */
    public static final String NONE = "(none)";
    /** Owner of the summed balances of tenants that were forgotten because they were idle. */
    public static final String IDLE = "(idle)";

    private final ItemReader reader = new ItemReader(ItemSchemas.load(), Integer.MAX_VALUE, Integer.MAX_VALUE);

    /** Returns the tenant, or {@link #NONE}. Key and value may be null. */
    public String of(byte[] key, byte[] value, Headers headers) {
        return reader.read(key, value, headers, 0) instanceof ParsedRecord.Item item ? item.tenant() : NONE;
    }
}
