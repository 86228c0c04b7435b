package io.spillway.kafka.codec;

import io.spillway.schema.WorkItem;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;

/** Released versions of {@code WorkItem} by fingerprint (CRC-64-AVRO of the parsing canonical form). */
public final class ItemSchemas {
    private static final List<String> ROUTING_FIELDS = List.of("tenant", "id", "enqueuedAt", "workload");
    private static final List<Schema.Type> ROUTING_TYPES =
            List.of(Schema.Type.STRING, Schema.Type.STRING, Schema.Type.LONG, Schema.Type.STRING);

    private final long[] fingerprints;
    private final List<List<AvroSkip>> tails;

    private ItemSchemas(Map<Long, Schema> schemas) {
        this.fingerprints = schemas.keySet().stream().mapToLong(Long::longValue).toArray();
        this.tails = schemas.values().stream().map(ItemSchemas::tailOf).toList();
    }

    /** Loads all released versions from the class path, and the current one. */
    public static ItemSchemas load() {
        Map<Long, Schema> schemas = new LinkedHashMap<>();
        Schema current = WorkItem.getClassSchema();
        ReleasedSchemas.of(current.getName()).forEach(schema -> schemas.put(fingerprint(schema), schema));
        schemas.putIfAbsent(fingerprint(current), current);
        return new ItemSchemas(schemas);
    }

    static long fingerprint(Schema schema) {
        return SchemaNormalization.parsingFingerprint64(schema);
    }

    /** Returns the index of a version, or -1. A linear scan is faster than hashing for so few. */
    int indexOf(long fingerprint) {
        for (int i = 0; i < fingerprints.length; i++) {
            if (fingerprints[i] == fingerprint) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Skips the fields after the routing fields.
     *
     * @throws UnreadableItem if a field is incomplete or bytes are left over
     */
    void skipTail(int index, AvroCursor cursor) {
        List<AvroSkip> tail = tails.get(index);
        for (int i = 0; i < tail.size(); i++) {
            tail.get(i).over(cursor);
        }
        cursor.requireEnd();
    }

    private static List<AvroSkip> tailOf(Schema schema) {
        List<Schema.Field> fields = schema.getFields();
        for (int i = 0; i < ROUTING_FIELDS.size(); i++) {
            Schema.Field field = fields.get(i);
            if (!field.name().equals(ROUTING_FIELDS.get(i)) || field.schema().getType() != ROUTING_TYPES.get(i)) {
                throw new IllegalStateException(
                        "WorkItem must begin with " + ROUTING_FIELDS + ", but field " + i + " is " + field);
            }
        }
        return fields.subList(ROUTING_FIELDS.size(), fields.size()).stream()
                .map(field -> AvroSkip.of(field.schema()))
                .toList();
    }
}
