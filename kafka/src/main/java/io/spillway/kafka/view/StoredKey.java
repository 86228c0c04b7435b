package io.spillway.kafka.view;

import io.spillway.core.item.ItemLimits;
import io.spillway.kafka.codec.RecordCodec;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Instant;
import org.apache.avro.generic.GenericRecord;

/**
 * Stored form of an API key, a value of the topic of keys.
 *
 * @param tenant          the tenant; or, of a service, what the names of its tenants begin with, and a final {@code *}
 * @param keyId           the public part
 * @param sha256          hash of the whole key, 32 bytes
 * @param createdAtMillis epoch milliseconds
 * @param expiresAtMillis epoch milliseconds from which it is invalid; 0 for never
 */
public record StoredKey(String tenant, String keyId, byte[] sha256, long createdAtMillis, long expiresAtMillis) {
    private static final String ANY = "*";
    private static final int HASH_BYTES = 32;
    private static final RecordCodec<io.spillway.schema.ApiKey> CODEC =
            new RecordCodec<>(new io.spillway.schema.ApiKey());

    /** @throws IllegalArgumentException if the tenant or the length of the hash is invalid */
    public StoredKey {
        if (!isTenants(tenant) || sha256.length != HASH_BYTES) {
            throw new IllegalArgumentException("invalid tenant, or a hash that does not have " + HASH_BYTES + " bytes");
        }
        sha256 = sha256.clone();
    }

    /** Returns the stored form of a new key. */
    public static StoredKey of(String tenant, ApiKey key, long createdAtMillis) {
        return of(tenant, key, createdAtMillis, 0);
    }

    /** Returns the stored form of a new key that is invalid from a time on; 0 for never. */
    public static StoredKey of(String tenant, ApiKey key, long createdAtMillis, long expiresAtMillis) {
        return new StoredKey(tenant, key.keyId(), key.sha256(), createdAtMillis, expiresAtMillis);
    }

    /** Returns whether a text is a tenant, or what the tenants of a service begin with and a final {@code *}. */
    public static boolean isTenants(String text) {
        return ItemLimits.isName(text) || text.equals(ANY)
                || text.endsWith(ANY) && ItemLimits.isName(text.substring(0, text.length() - 1));
    }

    /** Returns whether it is of a service, which names the tenant of each item. */
    public boolean isOfService() {
        return tenant.endsWith(ANY);
    }

    /** Returns whether its holder may send items of a tenant. */
    public boolean maySend(String of) {
        return isOfService() ? of.startsWith(tenant.substring(0, tenant.length() - 1)) : of.equals(tenant);
    }

    public boolean isExpired(long nowMillis) {
        return expiresAtMillis > 0 && nowMillis >= expiresAtMillis;
    }

    /** @throws IllegalArgumentException if the bytes are not an encoded key */
    static StoredKey decode(byte[] bytes) {
        GenericRecord record = CODEC.decode(bytes);
        ByteBuffer hash = (ByteBuffer) record.get("sha256");
        byte[] sha256 = new byte[hash.remaining()];
        hash.get(sha256);
        return new StoredKey(record.get("tenant").toString(), record.get("keyId").toString(), sha256,
                (Long) record.get("createdAt"), (Long) record.get("expiresAt"));
    }

    /** Returns the encoded key. */
    public byte[] encode() {
        return CODEC.encode(new io.spillway.schema.ApiKey(
                tenant, keyId, ByteBuffer.wrap(sha256), Instant.ofEpochMilli(createdAtMillis),
                Instant.ofEpochMilli(expiresAtMillis)));
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
