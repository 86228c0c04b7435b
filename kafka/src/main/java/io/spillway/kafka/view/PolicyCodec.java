package io.spillway.kafka.view;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.TenantPolicy;
import java.util.EnumMap;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;

/**
 * Codec of policies in their topic, with null for a setting that is not set. Decoding throws
 * {@link IllegalArgumentException} for invalid bytes.
 */
public final class PolicyCodec {
    private final RecordCodec<TenantPolicy> codec = new RecordCodec<>(new TenantPolicy());

    /** Returns a tenant's encoded settings. */
    public byte[] encode(String tenant, PolicySettings settings) {
        TenantPolicy record = new TenantPolicy();
        record.put("tenant", tenant);
        settings.values().forEach((field, value) -> record.put(field.key(), value));
        return codec.encode(record);
    }

    /** Returns the decoded settings. */
    public PolicySettings decode(byte[] bytes) {
        GenericRecord record = codec.decode(bytes);
        Map<PolicyField, Object> values = new EnumMap<>(PolicyField.class);
        for (PolicyField field : PolicyField.values()) {
            Object value = record.get(field.key());
            if (value != null) {
                values.put(field, value instanceof CharSequence ? value.toString() : value);
            }
        }
        return new PolicySettings(values);
    }
}
