package io.spillway.kafka.view;

import io.spillway.core.item.ItemLimits;
import java.security.MessageDigest;

/**
 * What is kept of an API key.
 *
 * @param tenant          whose it is
 * @param keyId           its public part
 * @param sha256          of the whole key, 32 bytes
 * @param createdAtMillis epoch milliseconds
 */
public record StoredKey(String tenant, String keyId, byte[] sha256, long createdAtMillis) {
    private static final int HASH_BYTES = 32;

    /**
     * Checks it.
     *
     * @throws IllegalArgumentException when the tenant is none or the hash is of another length
     */
    public StoredKey {
        if (!ItemLimits.isName(tenant) || sha256.length != HASH_BYTES) {
            throw new IllegalArgumentException("not the key of a tenant");
        }
        sha256 = sha256.clone();
    }

    /** Of a key just made. */
    public static StoredKey of(String tenant, ApiKey key, long createdAtMillis) {
        return new StoredKey(tenant, key.keyId(), key.sha256(), createdAtMillis);
    }

    /** Whether this is the key that was presented, in a time that does not tell how much of it is right. */
    public boolean matches(ApiKey presented) {
        return MessageDigest.isEqual(sha256, presented.sha256());
    }

    /** The hash is nobody's business either. */
    @Override
    public String toString() {
        return "key " + keyId + " of " + tenant;
    }
}
