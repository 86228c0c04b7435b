package io.spillway.router.source;

import com.fasterxml.jackson.core.JsonPointer;
import java.util.Optional;
import org.apache.kafka.common.header.Headers;

/** Reader of the fields of a record's value, for one format. Thread-safe. */
@FunctionalInterface
interface RecordFields {
    /** Reads nothing: the values are any bytes. */
    RecordFields NONE = (value, headers) -> pointer -> Optional.empty();

    /** Fields of one value. */
    @FunctionalInterface
    interface Fields {
        /**
         * Returns a field as text, a time in epoch milliseconds; empty if there is none or it is null.
         *
         * @throws UnreadableRecord if it is an object or a list
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
     * @throws UnreadableRecord if it does not have the format
     */
    Fields read(byte[] value, Headers headers);
}
