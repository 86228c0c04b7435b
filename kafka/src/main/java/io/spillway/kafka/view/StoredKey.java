package io.spillway.kafka.view;

import io.spillway.core.item.ItemLimits;
import java.security.MessageDigest;

/**
 * Stored form of an API key.
 *
 * @param tenant          the tenant of the key
 * @param keyId           the public part
 * @param sha256          hash of the whole key, 32 bytes
 * @param createdAtMillis epoch milliseconds
 */
public record StoredKey(String tenant, String keyId, byte[] sha256, long createdAtMillis) {
    private static final int HASH_BYTES = 32;

    /** @throws IllegalArgumentException if the tenant or the length of the hash is invalid */
    public StoredKey {
        if (!ItemLimits.isName(tenant) || sha256.length != HASH_BYTES) {
            throw new IllegalArgumentException("invalid tenant, or a hash that does not have " + HASH_BYTES + " bytes");
        }
        sha256 = sha256.clone();
    }

    /** Returns the stored form of a new key. */
    public static StoredKey of(String tenant, ApiKey key, long createdAtMillis) {
        return new StoredKey(tenant, key.keyId(), key.sha256(), createdAtMillis);
    }

    /** Returns whether the presented key is this one, in constant time. */
    public boolean matches(ApiKey presented) {
        return MessageDigest.isEqual(sha256, presented.sha256());
    }

    /** Omits the hash. */
    @Override
    public String toString() {
        return "key " + keyId + " of " + tenant;
    }
}
