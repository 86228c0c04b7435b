package io.spillway.kafka.view;

import io.spillway.kafka.codec.RecordCodec;
import java.nio.ByteBuffer;
import java.time.Instant;
import org.apache.avro.generic.GenericRecord;

/** Codec of API keys in their topic, by key id. Decoding throws {@link IllegalArgumentException} for invalid bytes. */
public final class StoredKeyCodec {
    private final RecordCodec<io.spillway.schema.ApiKey> codec = new RecordCodec<>(new io.spillway.schema.ApiKey());

    /** Returns the encoded key. */
    public byte[] encode(StoredKey key) {
        return codec.encode(new io.spillway.schema.ApiKey(
                key.tenant(), key.keyId(), ByteBuffer.wrap(key.sha256()), Instant.ofEpochMilli(key.createdAtMillis())));
    }

    /** Returns the decoded key. */
    public StoredKey decode(byte[] bytes) {
        GenericRecord record = codec.decode(bytes);
        ByteBuffer hash = (ByteBuffer) record.get("sha256");
        byte[] sha256 = new byte[hash.remaining()];
        hash.get(sha256);
        return new StoredKey(record.get("tenant").toString(), record.get("keyId").toString(), sha256,
                (Long) record.get("createdAt"));
    }
}
