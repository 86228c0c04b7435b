package io.spillway.kafka.view;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.policy.WorkloadPolicy;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;

/** Settings in the records of the policies topic. */
final class PolicyRecords {
    private PolicyRecords() {}

    /** Returns the settings of a record. */
    static PolicySettings settings(GenericRecord record) {
        Map<String, WorkloadPolicy> workloads = new HashMap<>();
        // In the order of the names, of a map that may be larger than is allowed, and have invalid names.
        new TreeMap<>(texts(record.get("workloads"))).forEach((name, limits) -> {
            if (ItemLimits.isName(name) && workloads.size() < TenantPolicy.MAX_WORKLOADS) {
                workloads.put(name, WorkloadPolicy.of(values(limits)));
            }
        });
        return new PolicySettings(values(record.get("settings")), workloads);
    }

    /** Returns the values of known fields; others are of a later release. */
    private static Map<PolicyField, Object> values(Object map) {
        Map<String, Object> byKey = texts(map);
        Map<PolicyField, Object> values = new EnumMap<>(PolicyField.class);
        for (PolicyField field : PolicyField.values()) {
            Object value = byKey.get(field.key());
            if (value != null) {
                values.put(field, value instanceof CharSequence ? value.toString() : value);
            }
        }
        return values;
    }

    /** Returns a map of Avro with texts as its keys. */
    private static Map<String, Object> texts(Object map) {
        Map<String, Object> texts = new HashMap<>();
        ((Map<?, ?>) map).forEach((key, value) -> texts.put(key.toString(), value));
        return texts;
    }
}
