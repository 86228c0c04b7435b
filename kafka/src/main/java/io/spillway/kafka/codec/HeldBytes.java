package io.spillway.kafka.codec;

import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/** Estimate of the memory that a record takes while a process holds it: what every bound in bytes must count. */
public final class HeldBytes {
    /** Objects around a record: the record, its arrays, its fields, its places in queues. */
    public static final int PER_RECORD = 512;
    /** Objects around a header: itself, its name, its value. */
    public static final int PER_HEADER = 96;

    private HeldBytes() {}

    /**
     * Returns the bytes of the key, the value and the headers with the objects around them. Reading the headers also
     * frees the buffer of the fetch, which the client keeps until each header has been read.
     *
     * @param key   may be null
     * @param value may be null
     */
    public static int of(byte[] key, byte[] value, Headers headers) {
        long bytes = PER_RECORD + length(key) + length(value);
        for (Header header : headers) {
            bytes += PER_HEADER + header.key().length() + length(header.value());
        }
        return (int) Math.min(bytes, Integer.MAX_VALUE);
    }

    private static long length(byte[] bytes) {
        return bytes == null ? 0 : bytes.length;
    }
}
