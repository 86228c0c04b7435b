package io.spillway.kafka.codec;

import java.util.List;
import java.util.function.Function;
import org.apache.avro.Schema;

/** Validator that skips one value of a given type. Created once for each field of a schema. */
@FunctionalInterface
interface AvroSkip {
    /**
     * Moves the cursor past the value.
     *
     * @throws UnreadableItem if the bytes are not a complete value
     */
    void over(AvroCursor cursor);

    /**
     * Returns the skip of a type.
     *
     * @throws IllegalArgumentException for a record inside a record, because recursive records can exhaust the stack
     */
    static AvroSkip of(Schema type) {
        return of(type, record -> {
            throw new IllegalArgumentException("item fields cannot be records: " + record.getFullName());
        });
    }

    /** Returns the skip of a type of Spillway's own schemas, whose records may contain others, but not themselves. */
    static AvroSkip ofOwn(Schema type) {
        return of(type, record -> {
            List<AvroSkip> fields = record.getFields().stream().map(field -> ofOwn(field.schema())).toList();
            return cursor -> fields.forEach(field -> field.over(cursor));
        });
    }

    private static AvroSkip of(Schema type, Function<Schema, AvroSkip> records) {
        return switch (type.getType()) {
            case NULL -> cursor -> {};
            case BOOLEAN -> cursor -> cursor.skipFixed(1);
            case INT, ENUM -> AvroCursor::readInt;
            case LONG -> AvroCursor::readLong;
            case FLOAT -> cursor -> cursor.skipFixed(4);
            case DOUBLE -> cursor -> cursor.skipFixed(8);
            case FIXED -> {
                int size = type.getFixedSize();
                yield cursor -> cursor.skipFixed(size);
            }
            case STRING, BYTES -> cursor -> cursor.skip(cursor.readLength());
            case UNION -> union(type.getTypes().stream().map(branch -> of(branch, records)).toList());
            case ARRAY -> blocks(of(type.getElementType(), records));
            case MAP -> {
                AvroSkip value = of(type.getValueType(), records);
                yield blocks(cursor -> {
                    cursor.skip(cursor.readLength());
                    value.over(cursor);
                });
            }
            case RECORD -> records.apply(type);
        };
    }

    private static AvroSkip union(List<AvroSkip> branches) {
        return cursor -> {
            int branch = cursor.readInt();
            if (branch < 0 || branch >= branches.size()) {
                throw UnreadableItem.malformed(
                        "union branch " + branch + " does not exist: there are " + branches.size());
            }
            branches.get(branch).over(cursor);
        };
    }

    /** Skips blocks: a count of entries, followed by the size in bytes if negative. A count of 0 ends them. */
    private static AvroSkip blocks(AvroSkip element) {
        return cursor -> {
            for (long count = cursor.readLong(); count != 0; count = cursor.readLong()) {
                int end = -1;
                if (count < 0) {
                    count = -count;
                    int length = cursor.readLength();
                    end = cursor.position() + length;
                }
                if (count < 0 || count > cursor.remaining()) {
                    throw UnreadableItem.malformed(
                            "invalid block of " + count + " entries: " + cursor.remaining() + " bytes are left");
                }
                for (long i = 0; i < count; i++) {
                    element.over(cursor);
                }
                if (end >= 0 && cursor.position() != end) {
                    throw UnreadableItem.malformed("a block does not have the length that it declares");
                }
            }
        };
    }
}
