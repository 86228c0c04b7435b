package io.spillway.router.source;

import com.fasterxml.jackson.core.JsonPointer;
import io.spillway.core.item.DeadReason;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.data.TimeConversions;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.io.DecoderFactory;

/** Fields of Avro values: a pointer names fields of records, keys of maps and indexes of lists. */
final class AvroFields {
    private static final GenericData DATA = data();

    private AvroFields() {}

    private static GenericData data() {
        GenericData data = new GenericData();
        data.addLogicalTypeConversion(new TimeConversions.TimestampMillisConversion());
        data.addLogicalTypeConversion(new TimeConversions.TimestampMicrosConversion());
        return data;
    }

    /** Reads the bytes from an offset, written with this schema. */
    static RecordFields.Fields read(Schema schema, byte[] value, int offset) {
        try {
            Object root = new GenericDatumReader<>(schema, schema, DATA).read(
                    null, DecoderFactory.get().binaryDecoder(value, offset, value.length - offset, null));
            return pointer -> text(root, pointer);
        } catch (IOException | AvroRuntimeException | IndexOutOfBoundsException | NegativeArraySizeException e) {
            throw new UnreadableRecord(DeadReason.MALFORMED,
                    "the value does not fit its Avro schema " + schema.getFullName() + ": " + e);
        }
    }

    private static Optional<String> text(Object root, JsonPointer pointer) {
        Object found = root;
        for (JsonPointer at = pointer; !at.matches() && found != null; at = at.tail()) {
            found = child(found, at);
        }
        return switch (found) {
            case null -> Optional.empty();
            case IndexedRecord ignored -> throw noText("a record", pointer);
            case Map<?, ?> ignored -> throw noText("a map", pointer);
            case List<?> ignored -> throw noText("a list", pointer);
            case Instant time -> Optional.of(Long.toString(time.toEpochMilli()));
            default -> Optional.of(found.toString());
        };
    }

    private static Object child(Object parent, JsonPointer at) {
        return switch (parent) {
            case IndexedRecord record -> Optional.ofNullable(record.getSchema().getField(at.getMatchingProperty()))
                    .map(field -> record.get(field.pos())).orElse(null);
            // The keys of Avro's maps are not strings, but equal to one in their text.
            case Map<?, ?> map -> map.entrySet().stream()
                    .filter(entry -> entry.getKey().toString().equals(at.getMatchingProperty()))
                    .findFirst().<Object>map(Map.Entry::getValue).orElse(null);
            case List<?> list -> at.getMatchingIndex() >= 0 && at.getMatchingIndex() < list.size()
                    ? list.get(at.getMatchingIndex()) : null;
            default -> null;
        };
    }

    private static UnreadableRecord noText(String what, JsonPointer pointer) {
        return new UnreadableRecord(DeadReason.MALFORMED, "the value has " + what + " at " + pointer);
    }
}
