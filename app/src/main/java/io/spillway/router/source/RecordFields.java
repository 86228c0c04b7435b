package io.spillway.router.source;

import com.fasterxml.jackson.core.JsonPointer;
import io.spillway.kafka.codec.AvroPath;
import io.spillway.kafka.codec.UnreadableItem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.kafka.common.header.Headers;

/** Reader of the fields of a record's value, for one format. Thread-safe. */
@FunctionalInterface
interface RecordFields {
    /** Reads nothing: the values are any bytes. */
    RecordFields NONE = (value, headers) -> pointer -> Optional.empty();

    /** Reads bytes from an offset, which were written with this schema. */
    static Fields avro(Schema schema, byte[] value, int offset) {
        return pointer -> {
            List<String> path = new ArrayList<>();
            for (JsonPointer at = pointer; !at.matches(); at = at.tail()) {
                path.add(at.getMatchingProperty());
            }
            return AvroPath.text(schema, value, offset, path);
        };
    }

    /** Fields of one value. */
    @FunctionalInterface
    interface Fields {
        /**
         * Returns a field as text, a time in epoch milliseconds; empty if there is none or it is null.
         *
         * @throws UnreadableItem if it is an object or a list
         */
        Optional<String> at(JsonPointer pointer);

        /** Returns an attribute of a CloudEvent as text; empty if there is none. */
        default Optional<String> attribute(String name) {
            return Optional.empty();
        }
    }

    /**
     * Reads a value.
     *
     * @param value not null
     * @throws UnreadableItem if it does not have the format
     */
    Fields read(byte[] value, Headers headers);
}
