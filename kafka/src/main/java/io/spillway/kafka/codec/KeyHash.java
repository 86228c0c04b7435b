package io.spillway.kafka.codec;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Name of an order key, or of an id, of one tenant: the first 128 bits of SHA-256, so that no tenant can find a key
 * that shares another's turns.
 */
public record KeyHash(long high, long low) {
    /** Bytes of {@link #putTo}. */
    public static final int BYTES = 2 * Long.BYTES;

    /** No tenant, workload, key or id contains it. */
    private static final char SEPARATOR = '\n';

    /**
     * Returns the name of an order key.
     *
     * @param delivery workload of a delivery to a subscription, each of which has an order of its own; empty for others
     */
    public static KeyHash ofKey(String tenant, String delivery, String orderKey) {
        return of("key" + SEPARATOR + tenant + SEPARATOR + delivery + SEPARATOR + orderKey);
    }

    /** Returns the name of an id among those with one order key, which is empty for none. */
    public static KeyHash ofId(String tenant, String orderKey, String id) {
        return of("id" + SEPARATOR + tenant + SEPARATOR + orderKey + SEPARATOR + id);
    }

    private static KeyHash of(String text) {
        try {
            ByteBuffer digest = ByteBuffer.wrap(
                    MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
            return new KeyHash(digest.getLong(), digest.getLong());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Returns the partition of the delay lane that keeps it, of this many. */
    public int partition(int partitions) {
        return (int) Long.remainderUnsigned(low, partitions);
    }

    /** Writes its bytes. */
    public void putTo(ByteBuffer buffer) {
        buffer.putLong(high).putLong(low);
    }

    /** Reads what {@link #putTo} has written. */
    public static KeyHash getFrom(ByteBuffer buffer) {
        return new KeyHash(buffer.getLong(), buffer.getLong());
    }
}
