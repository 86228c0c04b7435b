package io.spillway.kafka.codec;

import java.util.List;
import org.apache.avro.Schema;

/** Jumps over one value of a given type, and finds out whether it is all there. Made once for each field of a schema. */
@FunctionalInterface
interface AvroSkip {
    /** Moves the cursor behind the value; throws {@link UnreadableItem} when it is not one. */
    void over(AvroCursor cursor);

    /**
     * The skip for a type.
     *
     * @throws IllegalArgumentException for a record inside a record: our schemas have none, since recursive ones can
     *                                  exhaust the stack
     */
    static AvroSkip of(Schema type) {
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
            case UNION -> union(type.getTypes().stream().map(AvroSkip::of).toList());
            case ARRAY -> blocks(of(type.getElementType()));
            case MAP -> {
                AvroSkip value = of(type.getValueType());
                yield blocks(cursor -> {
                    cursor.skip(cursor.readLength());
                    value.over(cursor);
                });
            }
            case RECORD -> throw new IllegalArgumentException("an item's fields cannot be records: " + type.getFullName());
        };
    }

    private static AvroSkip union(List<AvroSkip> branches) {
        return cursor -> {
            int branch = cursor.readInt();
            if (branch < 0 || branch >= branches.size()) {
                throw UnreadableItem.malformed("branch " + branch + " of a union of " + branches.size());
            }
            branches.get(branch).over(cursor);
        };
    }

    /** Blocks of an array or a map: a count, with the block's bytes behind it when negative; a count of 0 ends them. */
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
                    throw UnreadableItem.malformed("a block of " + count + " entries where " + cursor.remaining() + " bytes are left");
                }
                for (long i = 0; i < count; i++) {
                    element.over(cursor);
                }
                if (end >= 0 && cursor.position() != end) {
                    throw UnreadableItem.malformed("a block is not as long as it says");
                }
            }
        };
    }
}
