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
 * @param keyId           the public part
 * @param sha256          hash of the whole key, 32 bytes
 * @param createdAtMillis epoch milliseconds
 */
public record StoredKey(String tenant, String keyId, byte[] sha256, long createdAtMillis) {
    private static final int HASH_BYTES = 32;
    private static final RecordCodec<io.spillway.schema.ApiKey> CODEC =
            new RecordCodec<>(new io.spillway.schema.ApiKey());

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

    /** @throws IllegalArgumentException if the bytes are not an encoded key */
    static StoredKey decode(byte[] bytes) {
        GenericRecord record = CODEC.decode(bytes);
        ByteBuffer hash = (ByteBuffer) record.get("sha256");
        byte[] sha256 = new byte[hash.remaining()];
        hash.get(sha256);
        return new StoredKey(record.get("tenant").toString(), record.get("keyId").toString(), sha256,
                (Long) record.get("createdAt"));
    }

    /** Returns the encoded key. */
    public byte[] encode() {
        return CODEC.encode(new io.spillway.schema.ApiKey(
                tenant, keyId, ByteBuffer.wrap(sha256), Instant.ofEpochMilli(createdAtMillis)));
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
