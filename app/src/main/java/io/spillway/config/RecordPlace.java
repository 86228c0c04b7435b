package io.spillway.config;

import com.fasterxml.jackson.core.JsonPointer;
import io.spillway.core.settings.InvalidSettingException;
import java.util.Arrays;
import java.util.List;

/** Place in a record of a source where a field of the item is. */
public sealed interface RecordPlace {
    /** What a list of places may be, for messages. */
    String ALLOWED = "key, header:NAME, value:/POINTER, attribute:NAME (of a CloudEvent) or constant:TEXT,"
            + " several with commas between them";

    /** The key of the record, as text in UTF-8. */
    record Key() implements RecordPlace {}

    /** The last header of this name, as text in UTF-8. */
    record Header(String name) implements RecordPlace {}

    /** A field of the value. */
    record Value(JsonPointer pointer) implements RecordPlace {}

    /** An attribute of a CloudEvent. */
    record Attribute(String name) implements RecordPlace {}

    /** The same text for all records. */
    record Constant(String text) implements RecordPlace {}

    /**
     * Parses places in the order in which they are tried.
     *
     * @param key  of the setting, for errors
     * @param text may be empty
     * @throws InvalidSettingException if it is not {@value #ALLOWED}
     */
    static List<RecordPlace> parse(String key, String text) {
        return text.isBlank() ? List.of()
                : Arrays.stream(text.split(",", -1)).map(String::strip).map(place -> one(key, place)).toList();
    }

    private static RecordPlace one(String key, String place) {
        int colon = place.indexOf(':');
        String name = place.substring(colon + 1);
        String kind = colon < 0 ? "" : place.substring(0, colon);
        if (place.equals("key")) {
            return new Key();
        }
        if (!name.isEmpty()) {
            switch (kind) {
                case "header" -> {
                    return new Header(name);
                }
                case "attribute" -> {
                    return new Attribute(name);
                }
                case "constant" -> {
                    return new Constant(name);
                }
                case "value" -> {
                    try {
                        return new Value(JsonPointer.compile(name));
                    } catch (IllegalArgumentException e) {
                        throw new InvalidSettingException(key, place, "must be a JSON pointer after value:, such as"
                                + " value:/customer/id");
                    }
                }
                default -> { }
            }
        }
        throw new InvalidSettingException(key, place, "must be " + ALLOWED);
    }
}
