package io.spillway.kafka.codec;

import io.spillway.core.item.DeadReason;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;

/**
 * Reader of one field of an Avro value, by the schema of its writer. It skips what is before the field and creates
 * nothing else, because Avro's own reader allocates whatever lengths a value claims.
 *
 * <p>Owner: one call. Bound: {@value #MOST_NESTED} levels, and as many elements of arrays and maps, and as many fields
 * that take no bytes, as the value has
 * bytes and {@value #MOST_EMPTY} more.
 */
public final class AvroPath {
    private static final int MOST_NESTED = 100;
    /** Elements may have no bytes. */
    private static final int MOST_EMPTY = 1_000;
    private static final int MICROS_PER_MILLI = 1_000;

    private final byte[] bytes;
    private final AvroCursor cursor;
    private final List<String> path;
    private long elementsLeft;
    /** Fields and elements, and records of them, that may still take no bytes. */
    private long emptyLeft;

    private AvroPath(byte[] bytes, int offset, List<String> path) {
        this.bytes = bytes;
        this.cursor = new AvroCursor(bytes, offset);
        this.path = path;
        this.elementsLeft = (long) bytes.length + MOST_EMPTY;
        this.emptyLeft = elementsLeft;
    }

    /**
     * Returns a field as text, a timestamp in epoch milliseconds; empty if there is none or it is null.
     *
     * @param offset at which the encoding begins in the value
     * @param path   names of fields, keys of maps and indexes of arrays
     * @throws UnreadableItem if the bytes up to the field do not fit the schema, or the field is no text
     */
    public static Optional<String> text(Schema schema, byte[] value, int offset, List<String> path) {
        return new AvroPath(value, offset, path).find(schema, 0, 0);
    }

    private Optional<String> find(Schema schema, int at, int depth) {
        checkDepth(depth);
        boolean isHere = at == path.size();
        switch (schema.getType()) {
            case UNION -> {
                return find(branch(schema), at, depth + 1);
            }
            case RECORD -> {
                for (Schema.Field field : schema.getFields()) {
                    if (!isHere && field.name().equals(path.get(at))) {
                        return find(field.schema(), at + 1, depth + 1);
                    }
                    skip(field.schema(), depth + 1);
                }
            }
            case ARRAY, MAP -> {
                boolean isMap = schema.getType() == Schema.Type.MAP;
                Schema element = isMap ? schema.getValueType() : schema.getElementType();
                int index = 0;
                for (long left = block(); left > 0; left = left > 1 ? left - 1 : block()) {
                    String key = isMap ? string() : Integer.toString(index++);
                    countElement();
                    if (!isHere && key.equals(path.get(at))) {
                        return find(element, at + 1, depth + 1);
                    }
                    skip(element, depth + 1);
                }
            }
            default -> {
                Optional<String> text = scalar(schema);
                return isHere ? text : Optional.empty();
            }
        }
        if (isHere) {
            throw noText(schema);
        }
        return Optional.empty();
    }

    private Optional<String> scalar(Schema schema) {
        return switch (schema.getType()) {
            case NULL -> Optional.empty();
            case STRING -> Optional.of(string());
            case ENUM -> Optional.of(symbol(schema));
            case INT -> Optional.of(Integer.toString(cursor.readInt()));
            case LONG -> {
                long number = cursor.readLong();
                boolean isMicros = schema.getLogicalType() instanceof LogicalTypes.TimestampMicros;
                yield Optional.of(Long.toString(isMicros ? Math.floorDiv(number, MICROS_PER_MILLI) : number));
            }
            case BOOLEAN -> {
                int start = cursor.position();
                cursor.skipFixed(1);
                yield Optional.of(Boolean.toString(bytes[start] != 0));
            }
            default -> throw noText(schema);
        };
    }

    private void skip(Schema schema, int depth) {
        checkDepth(depth);
        int start = cursor.position();
        skipValue(schema, depth);
        if (cursor.position() == start && --emptyLeft < 0) {
            throw UnreadableItem.malformed("the value has more fields without bytes than it has bytes");
        }
    }

    private void skipValue(Schema schema, int depth) {
        switch (schema.getType()) {
            case UNION -> skip(branch(schema), depth + 1);
            case RECORD -> schema.getFields().forEach(field -> skip(field.schema(), depth + 1));
            case ARRAY, MAP -> {
                boolean isMap = schema.getType() == Schema.Type.MAP;
                Schema element = isMap ? schema.getValueType() : schema.getElementType();
                for (long left = block(); left > 0; left = left > 1 ? left - 1 : block()) {
                    if (isMap) {
                        cursor.skip(cursor.readLength());
                    }
                    countElement();
                    skip(element, depth + 1);
                }
            }
            case STRING, BYTES -> cursor.skip(cursor.readLength());
            case FIXED -> cursor.skipFixed(schema.getFixedSize());
            case FLOAT -> cursor.skipFixed(Float.BYTES);
            case DOUBLE -> cursor.skipFixed(Double.BYTES);
            case INT, LONG, ENUM -> cursor.readLong();
            case BOOLEAN -> cursor.skipFixed(1);
            case NULL -> { }
        }
    }

    /** Returns the elements of the next block of an array or a map, 0 at its end. */
    private long block() {
        long count = cursor.readLong();
        if (count < 0) {
            cursor.readLong(); // The bytes of the block.
        }
        return count == Long.MIN_VALUE ? Long.MAX_VALUE : Math.abs(count);
    }

    private void countElement() {
        if (--elementsLeft < 0) {
            throw UnreadableItem.malformed("the value claims more elements than it has bytes");
        }
    }

    private Schema branch(Schema union) {
        int branch = cursor.readInt();
        if (branch < 0 || branch >= union.getTypes().size()) {
            throw UnreadableItem.malformed("a union of " + union.getTypes().size() + " has no branch " + branch);
        }
        return union.getTypes().get(branch);
    }

    private String symbol(Schema schema) {
        int symbol = cursor.readInt();
        if (symbol < 0 || symbol >= schema.getEnumSymbols().size()) {
            throw UnreadableItem.malformed("the enum " + schema.getFullName() + " has no symbol " + symbol);
        }
        return schema.getEnumSymbols().get(symbol);
    }

    private String string() {
        int length = cursor.readLength();
        int start = cursor.position();
        cursor.skip(length);
        return new String(bytes, start, length, StandardCharsets.UTF_8);
    }

    private static void checkDepth(int depth) {
        if (depth > MOST_NESTED) {
            throw UnreadableItem.malformed("the value is nested deeper than " + MOST_NESTED + " levels");
        }
    }

    private UnreadableItem noText(Schema schema) {
        return new UnreadableItem(DeadReason.MALFORMED, "the value has "
                + schema.getType().getName() + " at /" + String.join("/", path) + ", which is no text or number");
    }
}
